"""The modules of tools/mutate.py, the mutation tester; start reading there."""
