/** Makes sessions: finds the node, and signs. */
import { badRequest, notFound, StatusError } from '../../kube/errors/status-error.ts';
import { liveRow, nodeKey } from '../../ports/store/rows.ts';
import { endpointOf } from '../../rules/streams/node-endpoint.ts';
import { asksForStream } from '../../rules/streams/upgrade.ts';
import type { ApiServerDeps } from '../contract/deps.ts';
import type { RequestHead } from '../contract/http.ts';
import type { NodeSession, PlannedRequest } from '../contract/session.ts';
import { issueSessionToken } from './session-token.ts';

/** Throws 404 if the Node is gone, 500 if it has no server that is known, as kube-apiserver does. */
export const createSession = async (
  { node: name, target }: PlannedRequest,
  user: string,
  { objects, signingKeys, config, ids, clock }: ApiServerDeps,
): Promise<NodeSession> => {
  const row = liveRow(await objects.read(nodeKey(name)));
  if (!row) throw notFound({ resource: 'nodes', name });
  const endpoint = endpointOf(row.object);
  if ('fault' in endpoint) throw new StatusError('InternalError', endpoint.fault);
  const claims = { target, user, nodeUid: row.uid, id: ids.uuid(), issuedAt: clock.now() };
  const token = await issueSessionToken({ signingKeys, clusterId: config.clusterId }, claims);
  return { node: { name, uid: row.uid }, endpoint, target, token, user };
};

/** The 501 of a server that connects to no nodes. */
export const onlyByProxy = (): StatusError =>
  new StatusError(
    'NotImplemented',
    'this API is a function, which cannot hold a connection to a node: run `rollcall proxy`, and use the kubeconfig that it writes (docs/streams.md)',
  );

/** Throws 400 for a client that does not ask for another protocol. */
export const checkUpgrade = (
  { upgrades }: PlannedRequest,
  { headers }: Pick<RequestHead, 'headers'>,
): void => {
  if (upgrades && !asksForStream(headers['upgrade'])) throw badRequest('Upgrade request required');
};
