"""Privacy labels of releases, and the registry of deployments that they are compared with."""
