# callscore as a small image that runs as nobody in particular:
#
#   docker build -t callscore .
#   docker run --rm -v "$PWD:/work" callscore score cases.jsonl
#
# The folder at hand is /work, and the history is in it: .callscore. docs/how-to/run-in-a-container.md has
# more, such as servers, whose ports have to be published.

FROM python:3.13-slim AS build
# Pinned: the wheel is the same each time, see `make dist`.
RUN python -m venv /build && /build/bin/pip install --no-cache-dir --disable-pip-version-check hatchling==1.33.0
WORKDIR /source
COPY pyproject.toml README.md LICENSE ./
COPY tools/distribution tools/distribution
COPY docs docs
COPY src src
RUN /build/bin/python -m hatchling build -t wheel -d /wheels
COPY requirements/dev.txt constraints.txt
# pip comes from the image, and is not in the environment that is copied: its user installs nothing there.
ARG EXTRAS=mcp,web
RUN python -m venv --without-pip /opt/callscore \
    && pip --python /opt/callscore/bin/python install --no-cache-dir --disable-pip-version-check \
        --constraint constraints.txt "$(echo /wheels/*.whl)${EXTRAS:+[$EXTRAS]}"

FROM python:3.13-slim
RUN useradd --uid 1000 --create-home --shell /usr/sbin/nologin callscore \
    && mkdir /work && chown callscore /work
COPY --from=build /opt/callscore /opt/callscore
ENV PATH=/opt/callscore/bin:$PATH PYTHONUNBUFFERED=1
USER 1000
WORKDIR /work
ENTRYPOINT ["callscore"]
CMD ["--help"]
