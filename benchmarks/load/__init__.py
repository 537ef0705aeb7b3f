"""Many visitors: what a rerun costs the server, how long a crowd waits, who waits for whom, and what memory it takes.

python -m benchmarks.load rerun                     # processor time a rerun, page by page
python -m benchmarks.load crowd --visitors 8 30     # waits of so many visitors, beside the empty page
python -m benchmarks.load fairness                  # one short question while two visitors measure everything
python -m benchmarks.load memory                    # the resident set after 1,000 sessions, and after as many again
"""
