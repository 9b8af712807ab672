"""Hold everything written, without Streamlit."""
