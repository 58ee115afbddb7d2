"""Requests to a model: a question of an agent in words, with the schema, token limit and sampling that go with it.

A driver renders; an agent only says what it asks. So prompts, schemas and limits may change, and records still replay.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from retree_core.calls import ModelCall, Role
from retree_core.prompts import messages, quoted
from retree_core.protocol import Ask
from retree_core.replies import (
    AnswerReply,
    ConfirmReply,
    ConflictReply,
    ExtractReply,
    PaperConfirmReply,
    PolicyReply,
    ReportReply,
    SummaryReply,
    schema,
)
from retree_core.settings import Settings
from retree_core.text import cut_words

MAX_TOKENS: dict[Role, int] = {
    "policy": 500,
    "extract": 1400,
    "conflict": 900,
    "confirm": 900,
    "summarise": 450,
    "report": 600,
    "answer": 700,
    "judge": 300,
    "entail": 300,
}
"""Reply limits, tokens. A reply that is cut gets twice as much in its next attempt."""
MOST_DOUBLED = 4
"""Times that the limit is doubled."""
PASSAGE_CHARACTERS = 2000
"""How much of a passage the extractor reads; the record keeps all of it."""
EXCERPT_CHARACTERS = 300
"""How much of a passage the confirmation reads around a quoted span."""

_VERDICTS: frozenset[Role] = frozenset({"conflict", "confirm", "judge", "entail"})
"""A verdict is a decision, not a draw: greedy, except while thinking, where the model card warns against it."""
Inputs = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """How a prompt is put, and what is to be replied."""

    reply: type[Any]
    fill: Callable[[Inputs, Settings], Mapping[str, object]]
    """The values of the prompt's `$names`, the question aside."""
    choices: Callable[[Inputs], Mapping[str, Sequence[Any]]] = lambda _: {}
    """Fields of the reply that may hold nothing but what is shown."""


def rendered(ask: Ask, settings: Settings, model: str, text: str) -> ModelCall:
    """The request that puts a question to `model`; `text` is that of its prompt."""
    form = FORMS[ask.prompt]
    asked = messages(text, question=ask.inputs["question"], **form.fill(ask.inputs, settings))
    if avoid := ask.inputs.get("avoid"):
        asked = _with_note(asked, f"Do not mention {quoted(avoid)}: the facts do not say it.")
    if ask.faults and not ask.faults[-1].cut:
        why = ask.faults[-1].text
        asked = _with_note(asked, f"Your last reply was not valid ({why}). Reply with the JSON object only.")
    tokens = MAX_TOKENS[ask.role] << min(MOST_DOUBLED, sum(one.cut for one in ask.faults))
    choices = {name: list(shown) for name, shown in form.choices(ask.inputs).items()}
    wanted = schema(form.reply, settings, **choices)
    body = request_body(settings, ask.role, wanted, asked, tokens, len(ask.faults) + 1, model)
    return ModelCall(role=ask.role, body=body, inputs=ask.digest)


def request_body(
    settings: Settings,
    role: Role,
    json_schema: dict[str, Any],
    asked: list[dict[str, str]],
    tokens: int,
    attempt: int,
    model: str = "",
) -> dict[str, Any]:
    """The JSON body of a call for `role`, its reply bound to a schema; `attempt` counts from 1."""
    sampling = settings.sampling
    return {
        "model": model or settings.model,
        "messages": asked,
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": f"retree_{role}", "strict": True, "schema": json_schema},
        },
        "temperature": 0.0 if role in _VERDICTS and not sampling.thinking else sampling.temperature,
        "top_p": sampling.top_p,
        "top_k": sampling.top_k,
        "seed": sampling.seed + attempt - 1,
        "max_tokens": tokens,
        "chat_template_kwargs": {"enable_thinking": sampling.thinking},
    }


def _with_note(asked: list[dict[str, str]], note: str) -> list[dict[str, str]]:
    """The same messages with a correction at the end."""
    *first, last = asked
    return [*first, {**last, "content": f"{last['content']}\n\n{quoted(note)}"}]


# A memory, as each kind of agent keeps it.


def memory_text(memory: Inputs) -> str:
    """The policy context: the memory as the policy reads it (sections 4.2 and 5.2)."""
    if "facts" in memory:
        return f"Summary: {quoted(memory['summary']) or '(nothing yet)'}\nEvidence:\n{_listed(memory['facts'])}"
    if "searches" in memory:
        return _transcript(memory["searches"])
    return f"Report: {quoted(memory['report']) or '(nothing yet)'}\nVisited pages: {_ids(memory['pages'])}"


def _answer_from(memory: Inputs) -> tuple[str, str]:
    """What the answer is drawn from: a summary, and evidence with its ids (section 4.4)."""
    if "facts" in memory:
        return quoted(memory["summary"]) or "(nothing yet)", _listed(memory["facts"])
    if "searches" in memory:
        return "(none: the evidence is the whole transcript)", _transcript(memory["searches"])
    visited = (f"{_headed(one)} {quoted(one['url'] or '')}".rstrip() for one in memory["pages"])
    return quoted(memory["report"]) or "(nothing yet)", "\n".join(visited)


def _listed(facts: Iterable[Sequence[str]]) -> str:
    """Facts as (id, text), one a line."""
    return "\n".join(f"[{id_}] {quoted(text)}" for id_, text in facts) or "(none yet)"


def _ids(pages: Iterable[Inputs]) -> str:
    return ", ".join(one["id"] for one in pages) or "(none yet)"


def _transcript(searches: Iterable[Inputs]) -> str:
    """Every search with its reason and all that it brought, nothing shortened."""
    return "\n\n".join("\n".join(_turn(one)) for one in searches) or "(no search yet)"


def _turn(search: Inputs) -> Iterator[str]:
    if search["reason"]:
        yield f"Thought {search['number']}: {quoted(search['reason'])}"
    yield f"Search {search['number']}: {quoted(search['query'])}"
    if search["failure"]:
        yield f"The search failed ({search['failure'].replace('_', ' ')})."
    elif not search["passages"]:
        yield "Nothing was found."
    for one in search["passages"]:
        yield f"{_headed(one)}: {quoted(one['text'])}"


def _headed(passage: Inputs) -> str:
    """A passage by its id, title and date."""
    return f"[{passage['id']}] {quoted(passage['title'])}{_dated(passage)}"


def _dated(passage: Inputs) -> str:
    return f" ({quoted(passage['published'])})" if passage["published"] else ""


# One function a prompt.


def _policy(inputs: Inputs, settings: Settings) -> dict[str, object]:
    notice = _notice(inputs["notice"]) if inputs["notice"] else ""
    return {"memory": memory_text(inputs["memory"]), "notice": f"\n{quoted(notice)}" if notice else ""}


def _notice(notice: Inputs) -> str:
    """What the policy is told of the last search, or of a stop that was refused."""
    match notice["what"]:
        case "refused":
            return f"Your answer was refused: {notice['why']}. Search for what is missing."
        case "no_passage":
            return f'The search for "{quoted(notice["query"])}" brought no passage. Try other words.'
        case "made_before":
            made = ", ".join(f'"{quoted(one)}"' for one in notice["queries"])
            return f"That search was made before. Searches so far: {made}. Search for something else, in other words."
        case _:
            return f'The search for "{quoted(notice["query"])}" brought nothing new. Search for something else.'


def _extract(inputs: Inputs, settings: Settings) -> dict[str, object]:
    query, shown = quoted(inputs["query"]), _passages(inputs["passages"])
    return {"query": query, "passages": shown, "limit": settings.facts_per_search}


def _passages(passages: Iterable[Inputs]) -> str:
    """Passages as the calls that read them are shown them, counted from 1."""
    return "\n\n".join(_passage(number, one) for number, one in enumerate(passages, 1))


def _passage(number: int, passage: Inputs) -> str:
    text = cut_words(passage["text"], PASSAGE_CHARACTERS, PASSAGE_CHARACTERS)
    return f"Passage {number}: {quoted(passage['title'])}{_dated(passage)}\n{quoted(text)}"


def _conflict(inputs: Inputs, settings: Settings) -> dict[str, object]:
    return {name: "\n".join(map(_stated, inputs[name])) for name in ("stored", "new")}


def _stated(fact: Inputs) -> str:
    """A fact with the titles and dates of its passages."""
    titles = ", ".join(quoted(one["title"]) + _comma_dated(one) for one in fact["passages"])
    return f"[{fact['id']}] {quoted(fact['text'])}" + (f" (from: {titles})" if titles else "")


def _comma_dated(passage: Inputs) -> str:
    return f", {quoted(passage['published'])}" if passage["published"] else ""


def _confirm(inputs: Inputs, settings: Settings) -> dict[str, object]:
    others = "\n".join(map(_stated, inputs["others"]))
    history = "\n".join(f"- it said: {quoted(text)}; given up: {quoted(why)}" for text, why in inputs["history"])
    return {
        "summary": quoted(inputs["summary"]) or "(nothing yet)",
        "old": _with_sources(inputs["old"]),
        "new": _with_sources(inputs["new"]),
        "others": f"\nFound together with it\n{others}\n" if others else "",
        "history": f"\nFormer values of the stored fact\n{history}\n" if history else "",
    }


def _with_sources(fact: Inputs) -> str:
    lines = [f"[{fact['id']}] {quoted(fact['text'])}"]
    for one in fact["passages"]:
        lines.append(
            f"source: {quoted(one['title'])}{_comma_dated(one)}: {quoted(_excerpt(one['text'], one['start']))}"
        )
    return "\n".join(lines)


def _excerpt(text: str, start: int) -> str:
    """The passage from a little before the quoted span, at most EXCERPT_CHARACTERS."""
    begin = max(0, min(start - EXCERPT_CHARACTERS // 3, len(text) - EXCERPT_CHARACTERS))
    end = begin + EXCERPT_CHARACTERS
    return ("…" if begin else "") + text[begin:end] + ("…" if end < len(text) else "")


def _summarise(inputs: Inputs, settings: Settings) -> dict[str, object]:
    summary = quoted(inputs["summary"]) or "(nothing yet)"
    return {"summary": summary, "facts": _listed(inputs["facts"]), "words": settings.summary_words}


def _regenerate(inputs: Inputs, settings: Settings) -> dict[str, object]:
    return {"facts": _listed(inputs["facts"]), "words": settings.summary_words}


def _report(inputs: Inputs, settings: Settings) -> dict[str, object]:
    return {
        "report": quoted(inputs["report"]) or "(nothing yet)",
        "query": quoted(inputs["query"]),
        "passages": _passages(inputs["passages"]),
        "words": settings.report_words,
    }


def _answer(inputs: Inputs, settings: Settings) -> dict[str, object]:
    summary, evidence = _answer_from(inputs["memory"])
    return {"summary": summary, "evidence": evidence}


def _shown(inputs: Inputs) -> dict[str, Sequence[Any]]:
    """Ids that may be named."""
    return {"evidence": inputs["ids"]}


_POLICY = Form(reply=PolicyReply, fill=_policy, choices=_shown)
FORMS: dict[str, Form] = {
    "policy": _POLICY,
    "policy_react": _POLICY,
    "policy_report": _POLICY,
    "extract": Form(
        reply=ExtractReply,
        fill=_extract,
        choices=lambda inputs: {"passage": range(1, len(inputs["passages"]) + 1)},
    ),
    "conflict": Form(
        reply=ConflictReply,
        fill=_conflict,
        choices=lambda inputs: {name: [one["id"] for one in inputs[name]] for name in ("stored", "new")},
    ),
    "confirm": Form(reply=ConfirmReply, fill=_confirm),
    "confirm_paper": Form(reply=PaperConfirmReply, fill=_confirm),
    "summarise": Form(reply=SummaryReply, fill=_summarise),
    "regenerate": Form(reply=SummaryReply, fill=_regenerate),
    "report": Form(reply=ReportReply, fill=_report),
    "answer": Form(reply=AnswerReply, fill=_answer, choices=_shown),
}
"""Prompt to how it is put."""
