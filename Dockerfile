# The atlas for everybody who can reach the port, as docs/hosting.md says: docker build --tag attention-atlas .

FROM python:3.11-slim-bookworm AS packages
# PyTorch's own index offers the pinned versions without CUDA, as 2.15.0+cpu, which pip prefers: about 5 GB less. Where
# it has none for a pin, pip takes the one of PyPI, which runs on the processor as well. But torch and torchvision have
# to be of one kind: if they are not, the import below fails, and the build with it. Then build with
# --build-arg WHEELS=https://pypi.org/simple
ARG WHEELS=https://download.pytorch.org/whl/cpu
# For several machines (docs/cluster.md) add Ray: --build-arg EXTRAS=cluster
ARG EXTRAS=
COPY requirements.txt requirements-cluster.txt ./
RUN python -m venv /opt/venv \
    && /opt/venv/bin/pip install --disable-pip-version-check --no-cache-dir --extra-index-url "$WHEELS" -r requirements.txt \
        ${EXTRAS:+-r "requirements-$EXTRAS.txt"} \
    && /opt/venv/bin/python -c "import torch, torchvision, timm, transformers, streamlit, plotly"

FROM python:3.11-slim-bookworm
RUN useradd --uid 10001 --no-create-home --home-dir /tmp --shell /usr/sbin/nologin atlas \
    && install --directory --owner atlas --group atlas /models
COPY --from=packages /opt/venv /opt/venv
WORKDIR /app
COPY .streamlit .streamlit
COPY weights weights
COPY core core
COPY dashboard dashboard
COPY pages pages
COPY lessons lessons
COPY streamlit_app.py requirements.txt requirements-cluster.txt ./
# Compiled now: later nothing can be written here.
RUN /opt/venv/bin/python -m compileall -q core dashboard pages streamlit_app.py

ENV PATH=/opt/venv/bin:$PATH \
    HOME=/tmp \
    HF_HOME=/models \
    HF_HUB_DISABLE_TELEMETRY=1 \
    MALLOC_ARENA_MAX=2 \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1
USER atlas
VOLUME /models
EXPOSE 8501
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s \
    CMD ["python", "-c", "import urllib.request as it; it.urlopen('http://127.0.0.1:8501/_stcore/health', timeout=8)"]
# What `make serve` starts. ATLAS_AT_HOME is not set: whoever comes is a visitor.
CMD ["python", "-m", "streamlit", "run", "dashboard/hosting/server.py", "--server.port", "8501", "--server.address", "0.0.0.0"]
