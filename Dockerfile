# Two images from one file:
#   docker build --target web -t aloud-web .         the pages, without torch
#   docker build --target worker -t aloud-worker .   what runs the demos
# Every line is plain enough to be run by hand on a Debian machine that has Python.
ARG PYTHON_VERSION=3.12

FROM python:${PYTHON_VERSION}-slim AS base
ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
WORKDIR /aloud

# Packages first: they change less often than the tree.
FROM base AS web-packages
RUN python -m venv /opt/aloud
COPY pyproject.toml constraints.txt ./
COPY scripts/requirements.py scripts/
RUN python scripts/requirements.py > /tmp/web.txt
RUN /opt/aloud/bin/pip install -c constraints.txt -r /tmp/web.txt

FROM web-packages AS worker-packages
ARG TORCH_INDEX=
RUN python scripts/requirements.py worker > /tmp/worker.txt
RUN /opt/aloud/bin/pip install -c constraints.txt ${TORCH_INDEX:+--extra-index-url "$TORCH_INDEX"} -r /tmp/worker.txt
# --build-arg SPEECH=1 adds speech to text.
ARG SPEECH=
RUN python scripts/requirements.py speech > /tmp/speech.txt
RUN if [ -n "$SPEECH" ]; then /opt/aloud/bin/pip install -c constraints.txt -r /tmp/speech.txt; fi

# The tree and its user. Only /data is written to, and by the worker /cache.
FROM base AS tree
RUN useradd --uid 10001 --user-group --no-create-home --home-dir /tmp --shell /usr/sbin/nologin aloud
RUN install -d -o aloud -g aloud -m 770 /data /cache
COPY . .
RUN python -m compileall -q app kernels alembic
ENV PATH=/opt/aloud/bin:$PATH PYTHONPATH=/aloud HOME=/tmp ALOUD_DATA=/data
RUN printf '#!/bin/sh\nexec python -m app.cli "$@"\n' > /usr/local/bin/aloud && chmod 755 /usr/local/bin/aloud
STOPSIGNAL SIGTERM
ENTRYPOINT ["aloud"]

FROM tree AS web
COPY --from=web-packages /opt/aloud /opt/aloud
USER 10001
ENV ALOUD_HOST=0.0.0.0
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=4s --start-period=20s CMD ["python", "-c", "import os, urllib.request; urllib.request.urlopen('http://127.0.0.1:' + os.environ.get('ALOUD_PORT', '8000') + '/api/v1/health', timeout=3)"]
CMD ["serve"]

# Triton compiles its launcher with gcc, FlexAttention with g++; /cache keeps what they made.
FROM tree AS worker
RUN apt-get update && apt-get install -y --no-install-recommends gcc g++ libc6-dev && rm -rf /var/lib/apt/lists/*
COPY --from=worker-packages /opt/aloud /opt/aloud
USER 10001
ENV TRITON_CACHE_DIR=/cache/triton TORCHINDUCTOR_CACHE_DIR=/cache/inductor
CMD ["worker"]
