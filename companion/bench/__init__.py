"""The project's benchmarks: `companion bench …`."""
