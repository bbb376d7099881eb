/** What a probe or a hook does: core/v1 `ProbeHandler`, `LifecycleHandler`. One member is set. */
import type { Container } from '../containers/container.ts';

type Port = number | string;

export interface HttpGet {
  readonly path?: string;
  readonly port: Port;
  readonly host?: string;
  readonly scheme?: string;
  readonly httpHeaders?: readonly { readonly name: string; readonly value: string }[];
}

export interface Action {
  readonly exec?: { readonly command?: readonly string[] };
  readonly httpGet?: HttpGet;
  readonly tcpSocket?: { readonly port: Port; readonly host?: string };
  readonly grpc?: { readonly port: number; readonly service?: string };
  readonly sleep?: { readonly seconds: number };
}

interface NamedPort {
  readonly name?: string;
  readonly containerPort?: number;
}

const MOST_PORT = 65_535;

/** The port's number; a name is one of the container's ports. Source: kubernetes v1.34 pkg/probe `ResolveContainerPort`. */
export const portNumber = (port: Port, container: Container): number | { readonly fault: string } => {
  const ports = (container['ports'] ?? []) as readonly NamedPort[];
  const number = ports.find(({ name }) => name === port)?.containerPort ?? Number(port);
  if (Number.isNaN(number)) return { fault: `port ${port} not found` };
  return number > 0 && number <= MOST_PORT ? number : { fault: `invalid port number: ${number}` };
};

export interface HttpTarget {
  readonly url: string;
  /** By name; a name may come more than once. */
  readonly headers: Readonly<Record<string, readonly string[]>>;
  /** Value of the header Host, if it is not that of the URL. */
  readonly hostHeader?: string;
}

const headersOf = (get: HttpGet): Record<string, readonly string[]> => {
  const headers: Record<string, readonly string[]> = {};
  for (const { name, value } of get.httpHeaders ?? []) {
    const key = name.toLowerCase();
    headers[key] = [...(headers[key] ?? []), value];
  }
  return headers;
};

/** Absent headers get these. An empty one is left out. */
const withDefaults = (headers: Record<string, readonly string[]>, agent: string) => {
  const all = { 'user-agent': [agent], accept: ['*/*'], ...headers };
  return Object.fromEntries(Object.entries(all).filter(([, values]) => values.some((one) => one !== '')));
};

const bracketed = (host: string): string => (host.includes(':') ? `[${host}]` : host);

/** Where the request goes. Source: kubernetes v1.34 pkg/probe/http `NewRequestForHTTPGetAction`. */
export const httpTarget = (
  get: HttpGet,
  container: Container,
  podIp: string,
  agent: string,
): HttpTarget | { readonly fault: string } => {
  const port = portNumber(get.port, container);
  if (typeof port === 'object') return port;
  const scheme = (get.scheme ?? 'HTTP').toLowerCase();
  const path = get.path ?? '/';
  const { host, ...headers } = withDefaults(headersOf(get), agent);
  return {
    url: `${scheme}://${bracketed(get.host || podIp)}:${port}${path.startsWith('/') ? path : `/${path}`}`,
    headers,
    ...(host?.[0] !== undefined && { hostHeader: host[0] }),
  };
};
