"""Claims of the lecture notes on the role of depth: Telgarsky; Eldan & Shamir; Arora, Cohen & Hazan."""
