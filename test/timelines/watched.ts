/** Follows resources of a host, and keeps what happens in a history. */
import type { Api } from './api.ts';
import type { History, Seen } from './history.ts';

const RESOURCES = {
  Node: '/api/v1/nodes',
  Pod: '/api/v1/pods',
  Namespace: '/api/v1/namespaces',
  ServiceAccount: '/api/v1/serviceaccounts',
  ConfigMap: '/api/v1/configmaps',
  event: '/api/v1/events',
  PDB: '/apis/policy/v1/poddisruptionbudgets',
  DaemonSet: '/apis/apps/v1/daemonsets',
  ReplicaSet: '/apis/apps/v1/replicasets',
  Deployment: '/apis/apps/v1/deployments',
  StatefulSet: '/apis/apps/v1/statefulsets',
  VolumeAttachment: '/apis/storage.k8s.io/v1/volumeattachments',
  ControllerRevision: '/apis/apps/v1/controllerrevisions',
} as const;

/** As recordings call them. */
export type WatchedKind = keyof typeof RESOURCES;

interface List {
  readonly metadata: { readonly resourceVersion: string };
  readonly items: readonly Seen[];
}

export interface Watched {
  /** The newest versions of the objects of a kind. */
  all(kind: WatchedKind): readonly Seen[];
  /** From now on a watch may end; before, that ends the process. */
  close(): void;
}

const keyOf = ({ metadata }: Seen): string => `${metadata.namespace ?? ''}/${metadata.name}`;

type Listener = (kind: WatchedKind, object: Seen) => void;

/** What was there before is left out. `onObject`: each version of an object that is there. */
export const watchKinds = async (
  api: Api,
  kinds: readonly WatchedKind[],
  history: History,
  onObject: Listener,
): Promise<Watched> => {
  let isClosed = false;
  const objects = new Map(kinds.map((kind) => [kind, new Map<string, Seen>()]));

  const take = (kind: WatchedKind, type: string, object: Seen): void => {
    const at = Date.now();
    if (kind === 'event') {
      if (type !== 'DELETED') history.event(object, at);
    } else if (type === 'DELETED') {
      objects.get(kind)?.delete(keyOf(object));
      history.gone(kind, object, at);
    } else {
      objects.get(kind)?.set(keyOf(object), object);
      history.present(kind, object, at);
      onObject(kind, object);
    }
  };

  const follow = async (kind: WatchedKind, version: string, before: ReadonlySet<string>): Promise<void> => {
    for await (const { type, object } of api.watch(RESOURCES[kind], version)) {
      if (type === 'ERROR') throw new Error(`the watch of ${kind} ended: ${JSON.stringify(object)}`);
      if (type !== 'BOOKMARK' && !before.has(keyOf(object))) take(kind, type, object);
    }
  };

  for (const kind of kinds) {
    const { body } = await api.get(RESOURCES[kind]);
    const { metadata, items } = body as List;
    const before = new Set(items.map(keyOf));
    const ended = (error: unknown = 'the server ended it') => {
      if (!isClosed) throw new Error(`the watch of ${kind} ended early`, { cause: error });
    };
    follow(kind, metadata.resourceVersion, before).then(() => ended(), ended);
  }
  return {
    all: (kind) => [...(objects.get(kind)?.values() ?? [])],
    close: () => {
      isClosed = true;
    },
  };
};
