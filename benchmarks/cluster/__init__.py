"""Workers beside fronts: the same crowd with and without them, and a simulation of a crowd that no test machine holds.

python -m benchmarks.cluster                # all of it, into the table; some 15 minutes
python -m benchmarks.cluster --seconds 20   # shorter crowds, printed only
"""
