type Fields = Readonly<Record<string, unknown>>;

const fields = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {};

const listOf = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.map(fields) : []);

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

// A tag other than `latest`, or a digest, always names the same image, so a cached copy can be used.
const pullPolicy = (image: string): string => {
  const last = image.slice(image.lastIndexOf('/') + 1);
  if (last.includes('@')) return 'IfNotPresent';
  const tag = last.split(':')[1] ?? 'latest';
  return tag === 'latest' ? 'Always' : 'IfNotPresent';
};

const defaultPort = (hostNetwork: boolean, port: Fields): Fields => ({
  ...port,
  protocol: port['protocol'] ?? 'TCP',
  ...(hostNetwork && port['hostPort'] === undefined ? { hostPort: port['containerPort'] } : {}),
});

const defaultHttpGet = (httpGet: Fields): Fields => ({
  ...httpGet,
  path: httpGet['path'] ?? '/',
  scheme: httpGet['scheme'] ?? 'HTTP',
});

const defaultProbe = (probe: Fields): Fields => ({
  ...probe,
  ...(probe['httpGet'] ? { httpGet: defaultHttpGet(fields(probe['httpGet'])) } : {}),
  ...(probe['grpc'] ? { grpc: { service: '', ...fields(probe['grpc']) } } : {}),
  timeoutSeconds: probe['timeoutSeconds'] ?? 1,
  periodSeconds: probe['periodSeconds'] ?? 10,
  successThreshold: probe['successThreshold'] ?? 1,
  failureThreshold: probe['failureThreshold'] ?? 3,
});

const defaultProbes = (container: Fields): Fields =>
  Object.fromEntries(
    ['livenessProbe', 'readinessProbe', 'startupProbe'].flatMap((name) =>
      container[name] === undefined ? [] : [[name, defaultProbe(fields(container[name]))]],
    ),
  );

const withVersion = (reference: unknown): Fields =>
  reference === undefined ? {} : { fieldRef: { apiVersion: 'v1', ...fields(reference) } };

const defaultEnv = (variable: Fields): Fields => {
  const source = fields(variable['valueFrom']);
  return source['fieldRef'] === undefined
    ? variable
    : { ...variable, valueFrom: { ...source, ...withVersion(source['fieldRef']) } };
};

const defaultDownward = (source: Fields): Fields => ({
  ...source,
  ...(Array.isArray(source['items'])
    ? { items: listOf(source['items']).map((item) => ({ ...item, ...withVersion(item['fieldRef']) })) }
    : {}),
});

/** Where a resource has a limit but no request, the request becomes equal to the limit. */
const defaultResources = (resources: Fields): Fields => {
  const limits = fields(resources['limits']);
  const requests = { ...limits, ...fields(resources['requests']) };
  return Object.keys(requests).length === 0 ? resources : { ...resources, requests };
};

/** Fills in the defaults of a container. Source: core defaults v1.34 `SetDefaults_Container`. */
export const defaultContainer = (container: unknown, hostNetwork: boolean): Fields => {
  const given = fields(container);
  const ports = listOf(given['ports']);
  return {
    ...given,
    ...(ports.length > 0 ? { ports: ports.map((port) => defaultPort(hostNetwork, port)) } : {}),
    ...(Array.isArray(given['env']) ? { env: listOf(given['env']).map(defaultEnv) } : {}),
    ...defaultProbes(given),
    resources: defaultResources(fields(given['resources'])),
    terminationMessagePath: given['terminationMessagePath'] ?? '/dev/termination-log',
    terminationMessagePolicy: given['terminationMessagePolicy'] ?? 'File',
    imagePullPolicy: given['imagePullPolicy'] ?? pullPolicy(textOf(given['image'])),
  };
};

/** Fills in the defaults of a volume. A volume without a source becomes an emptyDir. */
export const defaultVolume = (volume: unknown): Fields => {
  const given = fields(volume);
  const withMode = (source: string): Fields =>
    given[source] === undefined ? {} : { [source]: { defaultMode: 0o644, ...fields(given[source]) } };
  return {
    ...(Object.keys(given).length === 1 ? { emptyDir: {} } : {}),
    ...given,
    ...withMode('configMap'),
    ...withMode('secret'),
    ...(given['downwardAPI'] === undefined
      ? {}
      : { downwardAPI: { defaultMode: 0o644, ...defaultDownward(fields(given['downwardAPI'])) } }),
    ...withMode('projected'),
    ...(given['hostPath'] === undefined ? {} : { hostPath: { type: '', ...fields(given['hostPath']) } }),
  };
};
