"""The few icons of the app, drawn for this project; every one stands for a word that is on the screen too."""

from __future__ import annotations

from retree_viz.html import Html

_PATHS = {
    "tree": '<rect x="1.5" y="6" width="4" height="4" rx="1"/><rect x="10.5" y="1.5" width="4" height="4" rx="1"/>'
    '<rect x="10.5" y="10.5" width="4" height="4" rx="1"/><path d="M5.5 8H8M8 3.5v9M8 3.5h2.5M8 12.5h2.5"/>',
    "repair": '<path d="M13 8a5 5 0 1 1-1.6-3.7"/><path d="M13.2 1.8v3h-3"/>',
    "conflict": '<path d="M3 6h10M3 10h10M10.5 3l-5 10"/>',
    "cut": '<circle cx="4" cy="4" r="2"/><circle cx="4" cy="12" r="2"/><path d="M5.7 5.1 14 11.5M5.7 10.9 14 4.5"/>',
    "stop": '<path d="M5.3 1.8h5.4l3.5 3.5v5.4l-3.5 3.5H5.3l-3.5-3.5V5.3z"/><path d="M5 8h6"/>',
    "check": '<path d="M3 8.5 6.5 12 13 4.5"/>',
    "cross": '<path d="M4 4l8 8M12 4l-8 8"/>',
    "dash": '<path d="M4 8h8"/>',
    "clock": '<circle cx="8" cy="8" r="6"/><path d="M8 4.5V8l2.5 1.5"/>',
    "flag": '<path d="M3.5 14.5v-13h9l-2.5 3.5 2.5 3.5h-9"/>',
    "warning": '<path d="M8 2 14.5 13.5h-13z"/><path d="M8 6.5v3.2M8 11.6v.1"/>',
    "fact": '<circle cx="8" cy="8" r="4" class="full"/>',
    "node": '<rect x="3" y="3" width="10" height="10" rx="2"/>',
    "here": '<path d="M4 2.5v11L13 8z" class="full"/>',
    "page": '<path d="M4 1.5h5.5L12.5 4.5v10H4z"/><path d="M6.5 8h4M6.5 11h4"/>',
    "returned": '<path d="M6 2.500 2.500 6 6 9.500M2.500 6H10a3.500 3.500 0 0 1 0 7H6.500"/>',
    "link": '<path d="M6.5 9.5l3-3M7 4.5l1.2-1.2a3 3 0 0 1 4.4 4.3L11.4 9M9 11.5l-1.2 1.2a3 3 0 0 1-4.4-4.3L4.6 7"/>',
    "call": '<path d="M2.5 3h11v8H7l-3 2.5V11H2.5z"/>',
    "search": '<circle cx="7" cy="7" r="4.5"/><path d="M10.5 10.5 14 14"/>',
    "pair": '<path d="M5 3.5h6M5 12.5h6M3 6h10M3 10h10"/>',
    "same": '<path d="M3 6h10M3 10h10"/>',
    "live": '<circle cx="8" cy="8" r="6"/><circle cx="8" cy="8" r="2" class="full"/>',
    "aside": '<path d="M3 10a5 5 0 0 1 10 0z" class="full"/>',
    "back": '<path d="M10.5 3.5 6 8l4.5 4.5"/>',
    "folder": '<path d="M1.5 4h4.5l1.5 1.5h7v7.5h-13z"/>',
    "fork": '<circle cx="4" cy="3.5" r="1.7"/><circle cx="4" cy="12.5" r="1.7"/><circle cx="12" cy="3.5" r="1.7"/>'
    '<path d="M4 5.2v5.6M12 5.2c0 3-8 2.3-8 5.6"/>',
    "pin": '<path d="M5.5 2h5M6.5 2v4.5L4 9.5h8L9.5 6.500V2M8 9.500v5"/>',
    "pen": '<path d="M2.5 13.5l.8-3.2 7.8-7.8 2.4 2.4-7.8 7.8z"/>',
    "export": '<path d="M8 10V2M5 4.8 8 1.8l3 3M3 8.5v5h10v-5"/>',
    "compare": '<path d="M8 1.5v13M2 4h4v8H2zM10 4h4v8h-4z"/>',
    "chart": '<path d="M2 2v12h12M4.5 10.5l3-4 2.5 2 3.5-5"/>',
    "pause": '<path d="M5.5 3v10M10.5 3v10"/>',
    "step": '<path d="M3 2.5v11L10 8z" class="full"/><path d="M12.5 3v10"/>',
    "halt": '<path d="M3.5 3.5h9v9h-9z" class="full"/>',
    "upload": '<path d="M8 2v8M5 4.8 8 1.8l3 3M3 8.5v5h10v-5"/>',
    "eye": '<path d="M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8z"/><circle cx="8" cy="8" r="2"/>',
}

OF_EVENT = {
    "context_built": "eye",
    "reply_rejected": "warning",
    "search_chosen": "search",
    "stop_chosen": "flag",
    "stop_refused": "stop",
    "passages_retrieved": "page",
    "search_failed": "warning",
    "facts_extracted": "fact",
    "fact_rebound": "link",
    "fact_dropped": "dash",
    "duplicate_found": "pair",
    "conflict_proposed": "conflict",
    "conflict_rejected": "conflict",
    "conflict_confirmed": "conflict",
    "evidence_repaired": "repair",
    "repair_skipped": "dash",
    "summary_written": "page",
    "summary_stale": "warning",
    "summary_discarded": "dash",
    "nodes_pruned": "cut",
    "search_resumed": "here",
    "facts_set_aside": "aside",
    "facts_added": "fact",
    "node_added": "node",
    "budget_exhausted": "clock",
    "answered": "flag",
    "run_ended": "check",
    "run_started": "tree",
    "step_taken": "node",
}
"""Event kind to icon."""

TONE = {
    "conflict_proposed": "conflict",
    "conflict_confirmed": "conflict",
    "conflict_rejected": "refuse",
    "stop_refused": "refuse",
    "summary_stale": "refuse",
    "reply_rejected": "refuse",
    "fact_dropped": "refuse",
    "budget_exhausted": "refuse",
    "search_failed": "conflict",
    "evidence_repaired": "repair",
    "search_resumed": "focus",
    "nodes_pruned": "ghost",
    "answered": "claim",
    "stop_chosen": "claim",
}
"""Event kind to colour class; the icon or the words say the same."""


def icon(name: str, cls: str = "") -> Html:
    """An icon in the colour of its text, 14 pixels, unseen by screen readers."""
    return Html(f'<svg class="i {cls}" viewBox="0 0 16 16" aria-hidden="true">{_PATHS[name]}</svg>')


def of_event(kind: str) -> str:
    return OF_EVENT.get(kind, "dash")


def tone(kind: str) -> str:
    return TONE.get(kind, "focus")
