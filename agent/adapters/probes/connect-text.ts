/** Faults of connections in the words of Go, which events of probes have. */

const TEXTS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connect: connection refused',
  ECONNRESET: 'read: connection reset by peer',
  EHOSTUNREACH: 'connect: no route to host',
  ENETUNREACH: 'connect: network is unreachable',
  ETIMEDOUT: 'i/o timeout',
};

export const connectText = (error: unknown, address: string): string => {
  const { code, message } = error as NodeJS.ErrnoException;
  const known = TEXTS[code ?? ''];
  return known === undefined ? message : `dial tcp ${address}: ${known}`;
};
