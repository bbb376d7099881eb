/** Reads the API's answer to the request for a session. */

import type { NodeSession } from '../../shared/apiserver/contract/session.ts';
import { serviceUnavailable } from '../../shared/kube/errors/status-error.ts';
import { isObject } from '../../shared/kube/json/json-object.ts';

/** A session, and whether the client must ask for another protocol. */
export interface GrantedSession {
  readonly session: NodeSession;
  readonly upgrades: boolean;
}

const wrong = (): Error =>
  serviceUnavailable('the API answered a request for a session with something else', {});

const text = (value: unknown): string => {
  if (typeof value !== 'string') throw wrong();
  return value;
};

/** Throws 503 for what is not a NodeSession: another program may answer at the address of the API. */
export const sessionIn = (body: Uint8Array): GrantedSession => {
  let read: unknown;
  try {
    read = JSON.parse(Buffer.from(body).toString());
  } catch {
    throw wrong();
  }
  const { metadata, status } = isObject(read) ? read : {};
  if (!isObject(metadata) || !isObject(status)) throw wrong();
  const { addresses, port, upgrades } = status;
  if (!Array.isArray(addresses) || typeof port !== 'number') throw wrong();
  return {
    upgrades: upgrades === true,
    session: {
      node: { name: text(metadata['name']), uid: text(metadata['uid']) },
      endpoint: { addresses: addresses.map(text), port, fingerprint: text(status['fingerprint']) },
      target: { path: text(status['path']), query: text(status['query']) },
      token: text(status['token']),
      user: text(status['user']),
    },
  };
};
