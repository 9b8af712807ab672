"""Keep the state and the address of one visitor."""
