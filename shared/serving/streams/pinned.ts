/** TLS with the server of a node, which is known by the fingerprint of its certificate: no authority signs for machines. */
import { createHash } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { connect, type TLSSocket } from 'node:tls';

/** Milliseconds for the handshake. */
const HANDSHAKE_MS = 5_000;

const ignored = (): void => undefined;

const fingerprintOf = (socket: TLSSocket): string => {
  const { raw } = socket.getPeerCertificate();
  return raw === undefined ? '' : createHash('sha256').update(raw).digest('hex');
};

const differs = (seen: string, wanted: string): Error =>
  new Error(
    seen === ''
      ? 'its server shows no certificate'
      : `its server shows another certificate than the node has told (SHA-256 ${seen.slice(0, 16)}…, not ${wanted.slice(0, 16)}…)`,
  );

/**
 * Resolves with the connection when the server has shown the certificate with this fingerprint (SHA-256 of the DER, lower hex). Rejects,
 * and destroys `over`, if it shows another one, or none in time, and with the signal's reason. Nothing of a request is sent before.
 */
export const pinned = (over: Duplex, fingerprint: string, signal: AbortSignal): Promise<TLSSocket> =>
  new Promise((resolve, reject) => {
    // The fingerprint takes the place of the check by an authority.
    const socket = connect({
      socket: over,
      rejectUnauthorized: false,
      minVersion: 'TLSv1.2',
    });
    const fail = (error: Error): void => {
      settled();
      socket.destroy();
      over.destroy();
      reject(error);
    };
    const timer = setTimeout(
      () => fail(new Error(`no TLS handshake within ${HANDSHAKE_MS / 1000} s`)),
      HANDSHAKE_MS,
    );
    const onAbort = (): void => fail(signal.reason as Error);
    const settled = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    };
    const onClose = (): void => fail(new Error('its server closed the connection during the handshake'));
    if (signal.aborted) return onAbort();
    signal.addEventListener('abort', onAbort);
    socket.on('error', ignored).once('error', fail).once('close', onClose);
    socket.once('secureConnect', () => {
      const seen = fingerprintOf(socket);
      if (seen !== fingerprint) return fail(differs(seen, fingerprint));
      settled();
      socket.off('error', fail).off('close', onClose);
      resolve(socket);
    });
  });
