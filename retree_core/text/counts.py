"""Numbers of things in words."""


def count(number: int, one: str, many: str | None = None) -> str:
    """
    >>> count(1, "fact"), count(3, "fact"), count(2, "search", "searches")
    ('1 fact', '3 facts', '2 searches')
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"
