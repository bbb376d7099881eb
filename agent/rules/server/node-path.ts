/** The paths of the agent's server, which are a kubelet's. Source: kubernetes v1.34 pkg/kubelet/server `InstallDebuggingHandlers`. */

/** What a request asks for. Names are as their objects have them. */
export type NodePath =
  | { readonly kind: 'health' }
  | { readonly kind: 'logs'; readonly namespace: string; readonly pod: string; readonly container: string }
  | {
      readonly kind: 'exec' | 'attach';
      readonly namespace: string;
      readonly pod: string;
      /** Absent: of whatever pod has the name. */
      readonly uid?: string;
      readonly container: string;
    }
  | { readonly kind: 'portForward'; readonly namespace: string; readonly pod: string; readonly uid?: string }
  | { readonly kind: 'other' };

const decoded = (part: string): string | undefined => {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
};

const OTHER: NodePath = { kind: 'other' };

const streamOf = (kind: 'exec' | 'attach', parts: readonly string[]): NodePath => {
  const [namespace = '', pod = '', uidOrContainer = '', container] = parts;
  if (parts.length === 3) return { kind, namespace, pod, container: uidOrContainer };
  return container === undefined || parts.length !== 4
    ? OTHER
    : { kind, namespace, pod, uid: uidOrContainer, container };
};

/** `path`: without a query. */
export const nodePath = (path: string): NodePath => {
  if (path === '/healthz') return { kind: 'health' };
  const parts = path.slice(1).split('/').map(decoded);
  if (parts.some((part) => part === undefined || part === '')) return OTHER;
  const [kind, ...rest] = parts as readonly string[];
  const [namespace = '', pod = '', third] = rest;
  if (kind === 'containerLogs' && third !== undefined && rest.length === 3)
    return { kind: 'logs', namespace, pod, container: third };
  if (kind === 'exec' || kind === 'attach') return streamOf(kind, rest);
  if (kind === 'portForward' && (rest.length === 2 || rest.length === 3))
    return { kind, namespace, pod, ...(third !== undefined && { uid: third }) };
  return OTHER;
};
