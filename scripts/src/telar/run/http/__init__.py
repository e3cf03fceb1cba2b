"""A run of the kind http: a service under load, from a fresh database to the record.

`cell` is a run's life, in the order in which it is lived. Its parts: `stack` (the services, up and down),
`driving` (the load: warm-up and window), `again` (windows that are measured once more), `evidence` (what goes
into the record), `hooks` (what may be put into a run from outside).
"""
