"""The oracles: whatever can answer queries about a target that the learner does not see."""
