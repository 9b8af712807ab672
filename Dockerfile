# One process of the lab. What it needs is named twice: below, and in .dockerignore. compose.yaml puts several behind Caddy.
# The digest names the image for all processors; after a change of either, make requirements.lock again.
FROM python:3.12-slim@sha256:f77ac9e44ae96ef2c90b8053ea08c31f8be030f824196b0ae4db6d462c84e51f

WORKDIR /lab
COPY requirements.lock requirements.txt ./
RUN pip install --no-cache-dir --disable-pip-version-check --root-user-action=ignore --require-hashes -r requirements.lock

COPY .streamlit/ .streamlit/
COPY dpcore/ dpcore/
COPY lab/ lab/
COPY pages/ pages/
COPY sample_data/ sample_data/
COPY ui/ ui/
COPY LICENSE app.py ./
# Who runs it must be able to read all of it, whatever the checkout says; and may not write, so it is compiled here.
RUN chmod -R a+rX . && python -m compileall -q .

# A number, as a volume's owner is one; nobody else has it.
USER 10001:10001
# The only place that has to be writable; a download on request ends there, too.
ENV HOME=/tmp
ENV STREAMLIT_SERVER_ADDRESS=0.0.0.0 STREAMLIT_SERVER_PORT=8501 MALLOC_ARENA_MAX=2
EXPOSE 8501
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s \
    CMD ["python", "-IS", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8501/_stcore/health', timeout=4)"]
CMD ["python", "-m", "streamlit", "run", "app.py"]
