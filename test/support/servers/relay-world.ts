/** A relay between machines and an API in memory, in virtual time; its uplink can be cut. */

import type { Upstream, UpstreamRequest } from '../../../gateway/upstream/upstream.ts';
import { createBeatRoute } from '../../../relay/beat-route.ts';
import { createSender } from '../../../relay/sender.ts';
import { createSite } from '../../../relay/site.ts';
import { issueToken } from '../../../shared/apiserver/access/authentication.ts';
import type { HttpResponse } from '../../../shared/apiserver/contract/http.ts';
import { StatusError, serviceUnavailable } from '../../../shared/kube/errors/status-error.ts';
import { GROUP_NODES, GROUP_RELAYS } from '../../../shared/kube/types/well-known.ts';
import type { HeartbeatItem } from '../../../shared/ports/store/heartbeats.ts';
import { relayedBeats } from '../../../shared/rules/relays/relayed-beats.ts';
import { partsIn } from '../../../shared/store/beats/relayed-items.ts';
import { createTestApi, type Json, keysSigningWith, NODES, nodeBody, type Received, START } from './api.ts';

export const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';
export const beatPath = (name: string): string => `/apis/rollcall.dev/v1/nodes/${name}/heartbeat`;
const DAY = 86_400_000;

export interface Machine {
  readonly name: string;
  readonly uid: string;
  readonly token: string;
}

export interface Answered {
  readonly code: number;
  readonly json: Json;
  readonly headers: Readonly<Record<string, string>>;
  /** The same request with this body, on the same connection; `undefined`: it is left to the ordinary way. */
  readonly again?: (body?: object) => Json;
}

const textBytes = (body?: object): Uint8Array =>
  new TextEncoder().encode(body === undefined ? '' : JSON.stringify(body));

const repeats = ({ again }: HttpResponse): Pick<Answered, 'again'> => {
  if (!again) return {};
  return {
    again: (body) => {
      const response = again(textBytes(body));
      return response && JSON.parse(String(response.body));
    },
  };
};

type Fault = 'none' | 'lost' | 'answerLost' | 'busy';

export const createRelayWorld = () => {
  const api = createTestApi();
  const sign = (name: string, group: string, nodeUid?: string, lastsMs = DAY) =>
    issueToken(
      { signingKeys: keysSigningWith('k1'), clusterId: 'test' },
      {
        name,
        groups: [group],
        issuedAt: START,
        expiresAt: START + lastsMs,
        ...(nodeUid === undefined ? {} : { nodeUid }),
      },
    );
  let fault: Fault = 'none';
  let servesAll = true;
  let clockSetByMs = 0;
  let elapsedMs = 0;
  const requests: string[] = [];
  const sent = { batches: 0, bytes: 0 };

  const received = async ({ method, path, headers, body }: UpstreamRequest): Promise<Received> => {
    const token = headers['authorization']?.replace('Bearer ', '');
    const serve = path.includes('/heartbeat') || path.includes('/leases') ? api.sendHeartbeat : api.send;
    const type = headers['content-type'];
    return serve(method, path, {
      ...(token === undefined ? {} : { token }),
      ...(type === undefined ? {} : { type }),
      ...(body ? { raw: body } : {}),
    });
  };
  /** What an API answers that serves version 1 only: it finds no sequence in another one, and its receipts name no versions. */
  const answered = async (request: UpstreamRequest): Promise<Received> => {
    if (servesAll || !request.path.endsWith('/heartbeats')) return received(request);
    if ((JSON.parse(String(request.body)) as { readonly version?: number }).version === undefined) {
      const { bytes, ...answer } = await received(request);
      const { batchVersions: _, ...json } = JSON.parse(Buffer.from(bytes).toString());
      return { ...answer, json, bytes: Buffer.from(JSON.stringify(json)) };
    }
    const json = { kind: 'Status', message: 'sequence must be a whole number, 1 or more' };
    return { code: 400, headers: {}, json, bytes: Buffer.from(JSON.stringify(json)) };
  };
  const upstream: Upstream = {
    send: async (request) => {
      requests.push(`${request.method} ${request.path}`);
      if (request.path.endsWith('/heartbeats')) {
        sent.batches += 1;
        sent.bytes += request.body?.byteLength ?? 0;
      }
      if (fault === 'lost') throw serviceUnavailable('unreachable', {});
      if (fault === 'busy') return { status: 503, headers: {}, body: Buffer.from('{}') };
      const { code, headers, bytes } = await answered(request);
      if (fault === 'answerLost') throw serviceUnavailable('unreachable', {});
      return { status: code, headers, body: bytes };
    },
    open: async () => {
      throw new Error('no watches here');
    },
    close: () => undefined,
  };

  const homes = new Map<string, number>();
  const now = () => START + elapsedMs;
  const wall = () => now() + clockSetByMs;
  const clock = { now: wall, sleep: async () => undefined };
  const warnings: object[] = [];
  const hostLog = { info: () => undefined, warn: (message: string) => warnings.push({ message }) };
  const startRelay = async (name: string) => {
    const token = await sign(`system:relay:${name}`, GROUP_RELAYS, undefined, 30 * DAY);
    const site = createSite({ parts: homes, now, wall });
    const { tick } = createSender({ relay: name, site, upstream, token: () => token, now, hostLog });
    // Of two ticks the second one sends, also after a leap of time.
    const sender = { tick: () => tick().then(tick), tickOnce: tick };
    return { site, route: createBeatRoute({ site, upstream, clock }), sender };
  };

  const world = {
    api,
    sent,
    requests,
    warnings,
    now,
    startRelay,
    /** What is wrong with the uplink from now on. */
    setFault: (next: Fault) => {
      fault = next;
    },
    /** Whether the API serves all versions of batches, or only the first, as before there was a second. */
    setServesAll: (next: boolean) => {
      servesAll = next;
    },
    /** Sets the clock of the relay's machine. */
    setClock: (byMs: number) => {
      clockSetByMs += byMs;
    },
    advance: (ms: number) => {
      elapsedMs += ms;
      api.advance(ms);
    },
    machine: async (name: string, lastsMs?: number): Promise<Machine> => {
      const { json } = await api.send('POST', NODES, { as: 'admin', body: nodeBody(name) });
      const { uid } = json.metadata;
      return { name, uid, token: await sign(`system:node:${name}`, GROUP_NODES, uid, lastsMs) };
    },
    /** Another token of the machine. */
    newToken: ({ name, uid }: Machine): Promise<string> =>
      sign(`system:node:${name}`, GROUP_NODES, uid, 2 * DAY),
    /** Sends a request of a machine to the relay; `undefined`: the relay leaves it to the gateway. */
    send: async (
      { route }: Awaited<ReturnType<typeof startRelay>>,
      { token }: Pick<Machine, 'token'>,
      method: string,
      path: string,
      body?: object,
    ): Promise<Answered | undefined> => {
      const routed = route({
        method,
        path,
        query: new URLSearchParams(),
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: textBytes(body),
      });
      if (!routed) return undefined;
      try {
        const response = await routed;
        const { status, headers, body: answer } = response;
        const text = typeof answer === 'string' ? answer : new TextDecoder().decode(answer);
        return { code: status, headers, json: JSON.parse(text), ...repeats(response) };
      } catch (error) {
        if (!(error instanceof StatusError)) throw error;
        return { code: error.code, headers: {}, json: error.toStatus() };
      }
    },
    beat: (relay: Awaited<ReturnType<typeof startRelay>>, machine: Machine) =>
      world.send(relay, machine, 'POST', beatPath(machine.name), {}),
    /** When the control plane last heard the node, straight or through relays. */
    heardAt: async ({ name, uid }: Machine): Promise<number> => {
      const items: HeartbeatItem[] = [];
      for await (const { value } of api.heartbeats.scan()) items.push(...value);
      const own = items.find((item) => item.name === name && item.uid === uid);
      const relayed = relayedBeats(partsIn(items), now()).get(`${name}/${uid}`);
      return Math.max(own?.observedAt ?? 0, relayed?.relayAt ?? 0, relayed?.plainAt ?? 0);
    },
  };
  return world;
};
