# By the name of the ClusterRole
tofu import aktrust_node_audience.registry aktrust-audience-artifact-keeper-cae5438b
