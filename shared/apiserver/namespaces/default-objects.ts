/**
 * Objects that exist without a client creating them: in each namespace the ServiceAccount `default` and the
 * ConfigMap `kube-root-ca.crt`, and in one namespace each the Service `kubernetes` and the ConfigMap
 * `extension-apiserver-authentication`. Kubernetes has controllers that create them, and create them again after
 * a deletion. Here the request that creates the namespace, or deletes or changes one of these objects, does so
 * before it is answered; if that request dies half-way, the next request for them repairs it.
 */

import { isBuiltIn } from '../../kinds/admission/namespaces.ts';
import { deepEqual } from '../../kube/json/deep-equal.ts';
import type { ApiObject, ObjectMeta } from '../../kube/types/meta.ts';
import { KUBERNETES_ADDRESS, NAMESPACES } from '../../kube/types/well-known.ts';
import { toTime } from '../../kube/values/time.ts';
import { namespaceKey, type ObjectKey, type Row } from '../../ports/store/rows.ts';
import type { ObjectWrite } from '../../store/writer/object-writer.ts';
import type { Call } from '../contract/call.ts';
import type { ApiServerDeps } from '../contract/deps.ts';
import type { Answer } from '../contract/http.ts';

interface DefaultObject {
  readonly resource: string;
  readonly name: string;
  /** The only namespace that has it; `undefined`: every namespace has it. */
  readonly only?: string;
  make(metadata: ObjectMeta, deps: ApiServerDeps): ApiObject;
  /** The object with its fixed parts restored. */
  repaired?(object: ApiObject, deps: ApiServerDeps): ApiObject;
}

interface RootCa extends ApiObject {
  readonly data?: Readonly<Record<string, string>>;
}

const caData = ({ rootCa = '' }: ApiServerDeps) => ({ 'ca.crt': rootCa });

// Servers that accept client certificates trust this authority. It has issued none, so no client is accepted by
// certificate.
const clientCaData = (rootCa: string) => ({
  'client-ca-file': rootCa,
  'requestheader-client-ca-file': rootCa,
  'requestheader-allowed-names': '["front-proxy-client"]',
  'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
  'requestheader-group-headers': '["X-Remote-Group"]',
  'requestheader-username-headers': '["X-Remote-User"]',
});

const DEFAULT_OBJECTS: readonly DefaultObject[] = [
  {
    resource: 'serviceaccounts',
    name: 'default',
    make: (metadata) => ({ kind: 'ServiceAccount', apiVersion: 'v1', metadata }),
  },
  {
    resource: 'configmaps',
    name: 'kube-root-ca.crt',
    make: (metadata, deps): RootCa => ({
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: {
        ...metadata,
        annotations: {
          'kubernetes.io/description':
            'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.',
        },
      },
      data: caData(deps),
    }),
    repaired: (object: RootCa, deps): RootCa => ({ ...object, data: caData(deps) }),
  },
  {
    // Other servers, such as the scheduler, read here which certificate authorities to trust.
    resource: 'configmaps',
    name: 'extension-apiserver-authentication',
    only: 'kube-system',
    make: (metadata, { rootCa }): RootCa => ({
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata,
      ...(rootCa ? { data: clientCaData(rootCa) } : {}),
    }),
  },
  {
    resource: 'services',
    name: 'kubernetes',
    only: 'default',
    make: (metadata): ApiObject & { readonly spec: object; readonly status: object } => ({
      kind: 'Service',
      apiVersion: 'v1',
      metadata: { ...metadata, labels: { component: 'apiserver', provider: 'kubernetes' } },
      spec: {
        clusterIP: KUBERNETES_ADDRESS,
        clusterIPs: [KUBERNETES_ADDRESS],
        internalTrafficPolicy: 'Cluster',
        ipFamilies: ['IPv4'],
        ipFamilyPolicy: 'SingleStack',
        ports: [{ name: 'https', port: 443, protocol: 'TCP', targetPort: 443 }],
        sessionAffinity: 'None',
        type: 'ClusterIP',
      },
      status: { loadBalancer: {} },
    }),
  },
];

const isIn = ({ only }: DefaultObject, namespace: string): boolean =>
  only === undefined || only === namespace;

const repairOf = (
  { repaired }: DefaultObject,
  row: Extract<Row, { state: 'live' }>,
  deps: ApiServerDeps,
): ObjectWrite | undefined => {
  const next = repaired?.(row.object, deps) ?? row.object;
  return deepEqual(next, row.object) ? undefined : { next, writer: 'controller' };
};

const ensureObject = async (one: DefaultObject, namespace: string, deps: ApiServerDeps): Promise<void> => {
  const { resource, name } = one;
  const key = { resource, namespace, name };
  const known = await deps.objects.read(key);
  if (known?.state === 'live' && repairOf(one, known, deps) === undefined) return;
  const uid = deps.ids.uuid();
  await deps.writer.write(key, (row, now) => {
    if (row?.state === 'live') return repairOf(one, row, deps);
    const metadata = { name, namespace, uid, creationTimestamp: toTime(now) };
    return { next: one.make(metadata, deps), writer: 'controller' };
  });
};

// A terminating namespace takes no new objects. The built-in namespaces count as existing before they are stored.
const takesObjects = async (namespace: string, { objects }: ApiServerDeps): Promise<boolean> => {
  const row = await objects.read(namespaceKey(namespace));
  return row?.state === 'live' ? row.object.metadata.deletionTimestamp === undefined : isBuiltIn(namespace);
};

/** Creates the default objects of `resource` that the namespace lacks; those of all resources if `resource` is absent. */
const ensureDefaults = async (namespace: string, deps: ApiServerDeps, resource?: string): Promise<void> => {
  const wanted = DEFAULT_OBJECTS.filter(
    (one) => isIn(one, namespace) && (resource === undefined || one.resource === resource),
  );
  if (wanted.length === 0 || !(await takesObjects(namespace, deps))) return;
  await Promise.all(wanted.map((one) => ensureObject(one, namespace, deps)));
};

/** Creates the default object of this key, if there is such a one and its namespace takes it. */
export const bearDefault = async (
  { resource, namespace, name }: ObjectKey,
  deps: ApiServerDeps,
): Promise<void> => {
  const isDefault = DEFAULT_OBJECTS.some((one) => one.resource === resource && one.name === name);
  if (isDefault && deps.controllers !== 'none') await ensureDefaults(namespace, deps, resource);
};

const NONE: readonly DefaultObject[] = [];

const defaultsAt = ({ info }: Call): readonly DefaultObject[] =>
  info.group === '' && info.subresource === ''
    ? DEFAULT_OBJECTS.filter(({ resource }) => resource === info.resource)
    : NONE;

/** Whether a call names a default object, or lists its resource in a namespace. */
const isAbout = (call: Call): boolean => {
  const { name, namespace } = call.info;
  return namespace !== '' && defaultsAt(call).some((one) => name === '' || one.name === name);
};

/**
 * Runs `work` and logs its failure instead of failing the request, which has done what the client asked for. The
 * next request repairs it.
 */
const tolerant = async (call: Call, deps: ApiServerDeps, work: () => Promise<unknown>): Promise<void> => {
  try {
    await work();
  } catch (error) {
    const { method, path } = call.request;
    deps.logger.requestFailed({ method, path, at: deps.clock.now(), error });
  }
};

/** Stores that are known to hold the default objects of the built-in namespaces. */
const complete = new WeakSet<object>();

const ensureBuiltIn = async (deps: ApiServerDeps): Promise<void> => {
  if (complete.has(deps.objects)) return;
  await Promise.all(NAMESPACES.map((namespace) => ensureDefaults(namespace, deps)));
  complete.add(deps.objects);
};

/**
 * Runs before a request: creates the default objects that it may ask for. The first such request of a process
 * checks all built-in namespaces.
 */
export const bearDefaults = async (call: Call, deps: ApiServerDeps): Promise<void> => {
  const { resource, namespace, verb } = call.info;
  if (deps.controllers === 'none' || defaultsAt(call).length === 0) return;
  await tolerant(call, deps, async () => {
    await ensureBuiltIn(deps);
    if (verb !== 'create' && isAbout(call)) await ensureDefaults(namespace, deps, resource);
  });
};

const CHANGES: readonly string[] = ['create', 'delete', 'deletecollection', 'patch', 'update'];

const nameIn = ({ info }: Call, { body }: Answer): string =>
  info.name || (typeof body === 'object' && 'metadata' in body ? (body as ApiObject).metadata.name : '');

/** Runs after a request: creates the objects of a new namespace, and restores one that was deleted or changed. */
export const restoreDefaults = async (call: Call, answer: Answer, deps: ApiServerDeps): Promise<void> => {
  const { resource, group, namespace, verb } = call.info;
  if (deps.controllers === 'none' || !CHANGES.includes(verb)) return;
  if (group === '' && resource === 'namespaces')
    await tolerant(call, deps, () => ensureDefaults(nameIn(call, answer), deps));
  else if (isAbout(call)) await tolerant(call, deps, () => ensureDefaults(namespace, deps, resource));
};
