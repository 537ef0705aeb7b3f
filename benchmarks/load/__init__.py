"""Many visitors: what a rerun costs the server, how long a crowd waits, who waits for whom, how a class
follows, and what memory it takes.

python -m benchmarks.load rerun                     # processor time a rerun, page by page
python -m benchmarks.load crowd --visitors 8 30     # waits of so many visitors, beside the empty page
python -m benchmarks.load fairness                  # one short question while two visitors measure everything
python -m benchmarks.load following                 # a teacher's step until the last of 100 followers has it
python -m benchmarks.load flood                     # what another visitor waits while a class sends all that it may
python -m benchmarks.load memory                    # the resident set after 1,000 sessions, and after as many again
"""
