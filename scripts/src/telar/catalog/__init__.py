"""The catalogue: what can be run. Data from `telar.toml` and the small files beside what they describe."""
