import { roundedToMilli } from '../values/quantity.ts';

type Fields = Readonly<Record<string, unknown>>;

export const fields = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {};

export const listOf = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.map(fields) : []);

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/**
 * Name, tag and digest of an image. The registry before the first slash may have upper case letters, a port or dots; a name that
 * begins otherwise is one of Docker Hub. Source: distribution v2 `reference` (grammar).
 */
const IMAGE =
  /^(?:(?:[A-Za-z\d](?:[A-Za-z\d-]*[A-Za-z\d])?(?:\.[A-Za-z\d](?:[A-Za-z\d-]*[A-Za-z\d])?)*|\[[\dA-Fa-f:]+\])(?::\d+)?\/)?[a-z\d]+(?:(?:\.|_{1,2}|-+)[a-z\d]+)*(?:\/[a-z\d]+(?:(?:\.|_{1,2}|-+)[a-z\d]+)*)*(?::([A-Za-z\d_][\w.-]{0,127}))?(@[A-Za-z].*)?$/;

/** A tag other than `latest`, or a digest, always names the same image, so a cached copy can be used. A name that is no image's has no tag. */
export const pullPolicy = (image: string): string => {
  const match = IMAGE.exec(image);
  const [, tag, digest] = match ?? [];
  return match && (tag ?? (digest ? '' : 'latest')) === 'latest' ? 'Always' : 'IfNotPresent';
};

/** The value of a field that Go does not tell from an absent one if it is 0 or empty. */
export const orDefault = (value: unknown, given: unknown): unknown =>
  value === undefined || value === null || value === '' || value === 0 ? given : value;

const defaultPort = (port: Fields): Fields => ({ ...port, protocol: orDefault(port['protocol'], 'TCP') });

const defaultHttpGet = (httpGet: Fields): Fields => ({
  ...httpGet,
  path: orDefault(httpGet['path'], '/'),
  scheme: orDefault(httpGet['scheme'], 'HTTP'),
});

const defaultGrpc = (grpc: Fields): Fields => ({ ...grpc, service: grpc['service'] ?? '' });

const withHttpGet = (handler: Fields): Fields =>
  handler['httpGet'] ? { ...handler, httpGet: defaultHttpGet(fields(handler['httpGet'])) } : handler;

const defaultProbe = (probe: Fields): Fields => ({
  ...withHttpGet(probe),
  ...(probe['grpc'] ? { grpc: defaultGrpc(fields(probe['grpc'])) } : {}),
  timeoutSeconds: orDefault(probe['timeoutSeconds'], 1),
  periodSeconds: orDefault(probe['periodSeconds'], 10),
  successThreshold: orDefault(probe['successThreshold'], 1),
  failureThreshold: orDefault(probe['failureThreshold'], 3),
});

const defaultProbes = (container: Fields): Fields =>
  Object.fromEntries(
    ['livenessProbe', 'readinessProbe', 'startupProbe'].flatMap((name) =>
      container[name] === undefined ? [] : [[name, defaultProbe(fields(container[name]))]],
    ),
  );

const HOOKS = ['postStart', 'preStop'];

const defaultLifecycle = (lifecycle: unknown): Fields => {
  if (lifecycle === undefined || lifecycle === null) return {};
  const given = fields(lifecycle);
  const hooks = HOOKS.flatMap((name) => (given[name] ? [[name, withHttpGet(fields(given[name]))]] : []));
  return { lifecycle: { ...given, ...Object.fromEntries(hooks) } };
};

export const withVersion = (reference: unknown): Fields =>
  reference === undefined ? {} : { fieldRef: { apiVersion: 'v1', ...fields(reference) } };

const defaultEnv = (variable: Fields): Fields => {
  const source = fields(variable['valueFrom']);
  if (Object.keys(source).length === 0) return variable;
  const file = source['fileKeyRef']
    ? { fileKeyRef: { optional: false, ...fields(source['fileKeyRef']) } }
    : {};
  return { ...variable, valueFrom: { ...source, ...withVersion(source['fieldRef']), ...file } };
};

/** Rounds the amounts of resources up to thousandths. Source: core defaults v1.34 `SetDefaults_ResourceList`. */
export const roundedList = (amounts: unknown): Fields =>
  Object.fromEntries(
    Object.entries(fields(amounts)).map(([name, amount]) => [name, roundedToMilli(String(amount))]),
  );

/** Limits and requests with rounded amounts. */
export const roundedResources = (resources: Fields): Fields => ({
  ...resources,
  ...(resources['limits'] ? { limits: roundedList(resources['limits']) } : {}),
  ...(resources['requests'] ? { requests: roundedList(resources['requests']) } : {}),
});

/** Where a resource has a limit but no request, the request becomes equal to the limit. */
const withRequests = (resources: Fields): Fields => {
  const limits = fields(resources['limits']);
  const requests = { ...limits, ...fields(resources['requests']) };
  return Object.keys(requests).length === 0 ? resources : { ...resources, requests };
};

/** Fills in the defaults of a container in a pod or a template. Source: core defaults v1.34 `SetDefaults_Container`. */
export const defaultContainer = (container: unknown): Fields => {
  const given = fields(container);
  const ports = listOf(given['ports']);
  return {
    ...given,
    ...(ports.length > 0 ? { ports: ports.map(defaultPort) } : {}),
    ...(Array.isArray(given['env']) ? { env: listOf(given['env']).map(defaultEnv) } : {}),
    ...defaultProbes(given),
    ...defaultLifecycle(given['lifecycle']),
    resources: roundedResources(fields(given['resources'])),
    terminationMessagePath: orDefault(given['terminationMessagePath'], '/dev/termination-log'),
    terminationMessagePolicy: orDefault(given['terminationMessagePolicy'], 'File'),
    imagePullPolicy: orDefault(given['imagePullPolicy'], pullPolicy(textOf(given['image']))),
  };
};

const hostPort = (port: Fields): Fields =>
  port['hostPort'] === undefined ? { ...port, hostPort: port['containerPort'] } : port;

/** Adds the defaults that a container has in a pod, but not in a template. Source: core defaults v1.34 `SetDefaults_Pod`. */
export const defaultPodContainer = (container: unknown, hostNetwork: boolean): Fields => {
  const given = fields(container);
  const ports = listOf(given['ports']);
  return {
    ...given,
    ...(hostNetwork && ports.length > 0 ? { ports: ports.map(hostPort) } : {}),
    resources: withRequests(fields(given['resources'])),
  };
};
