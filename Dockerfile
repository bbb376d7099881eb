# A host: rollcall serve. It installs the package that "npm pack" has written beside this file; docs/install.md says how.
FROM node:24-bookworm-slim

COPY rollcall-*.tgz /tmp/rollcall.tgz
RUN npm install --global --offline /tmp/rollcall.tgz \
  && rm /tmp/rollcall.tgz \
  && mkdir -m 0700 /var/lib/rollcall \
  && chown node:node /var/lib/rollcall

USER node
ENV ROLLCALL_FOLDER=/var/lib/rollcall
VOLUME /var/lib/rollcall
EXPOSE 6443

HEALTHCHECK --interval=15s --timeout=10s --start-period=10s CMD ["rollcall", "doctor", "--only", "server"]
ENTRYPOINT ["rollcall"]
CMD ["serve", "--listen", "0.0.0.0:6443", "--log-format", "json"]
