"""Answer HTTP around Streamlit."""
