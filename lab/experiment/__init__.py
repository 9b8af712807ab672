"""Settings of a topic, the tasks that follow from them, and the links that name them."""
