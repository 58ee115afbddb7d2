"""Search backends: a local corpus, Serper, Google Programmable Search, SearXNG."""
