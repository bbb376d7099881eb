/** A small registry on loopback: what a pull asks of the OCI distribution protocol, with and without credentials. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ImageToMake, imageParts, type MadeImage } from './oci-image.ts';

/** `basic`: each request has user and password. `token`: these buy a token at `/token`. */
export type RegistryAuth = 'none' | 'basic' | 'token';

export interface Registry {
  /** `127.0.0.1:PORT`. */
  readonly host: string;
  /** Requests, as `METHOD path`. */
  readonly requests: string[];
  /** Makes an image, such as `team/app:1`; returns its full name. */
  add(name: string, image?: Omit<ImageToMake, 'name'>): string;
  /** Whether blobs are held back until `resume`. */
  pause(): void;
  resume(): void;
  close(): Promise<void>;
}

export interface RegistryOptions {
  readonly auth?: RegistryAuth;
  readonly user?: string;
  readonly password?: string;
}

const TOKEN = 'one-token';
const PATH = /^\/v2\/(.+)\/(manifests|blobs)\/([^/]+)$/;

const credentialsOf = ({ headers }: IncomingMessage): string => {
  const [scheme, value = ''] = (headers.authorization ?? '').split(' ');
  return scheme === 'Basic' ? Buffer.from(value, 'base64').toString() : '';
};

const challengeOf = (auth: RegistryAuth, host: string): string =>
  auth === 'basic' ? 'Basic realm="test"' : `Bearer realm="http://${host}/token",service="test"`;

const refuse = (response: ServerResponse, code: number, reason: string, headers: object = {}): void => {
  response.writeHead(code, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify({ errors: [{ code: reason, message: reason.toLowerCase() }] }));
};

export const startRegistry = async (options: RegistryOptions = {}): Promise<Registry> => {
  const { auth = 'none', user = 'user', password = 'secret' } = options;
  const images = new Map<string, MadeImage>();
  const blobs = new Map<string, Buffer>();
  const requests: string[] = [];
  const held = new Set<() => void>();
  let [isPaused, host] = [false, ''];

  const isAllowed = (request: IncomingMessage): boolean => {
    if (auth === 'none') return true;
    if (auth === 'token') return request.headers.authorization === `Bearer ${TOKEN}`;
    return credentialsOf(request) === `${user}:${password}`;
  };
  const giveToken = (request: IncomingMessage, response: ServerResponse): void => {
    if (credentialsOf(request) !== `${user}:${password}`) {
      refuse(response, 401, 'UNAUTHORIZED');
      return;
    }
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ token: TOKEN, expires_in: 300 }));
  };
  const send = (request: IncomingMessage, response: ServerResponse, content: Buffer, type: string): void => {
    response.writeHead(200, { 'content-type': type, 'content-length': content.length });
    response.end(request.method === 'HEAD' ? undefined : content);
  };
  const giveManifest = (request: IncomingMessage, response: ServerResponse, name: string, ref: string) => {
    const found = images.get(`${name}:${ref}`)?.manifest ?? blobs.get(ref.replace('sha256:', ''));
    if (!found) {
      refuse(response, 404, 'MANIFEST_UNKNOWN');
      return;
    }
    send(request, response, found, 'application/vnd.oci.image.manifest.v1+json');
  };
  const giveBlob = async (request: IncomingMessage, response: ServerResponse, digest: string) => {
    const found = blobs.get(digest.replace('sha256:', ''));
    if (!found) {
      refuse(response, 404, 'BLOB_UNKNOWN');
      return;
    }
    if (isPaused) await new Promise<void>((resolve) => held.add(resolve));
    send(request, response, found, 'application/octet-stream');
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname } = new URL(request.url ?? '/', 'http://registry');
    requests.push(`${request.method} ${pathname}`);
    if (pathname === '/token') {
      giveToken(request, response);
      return;
    }
    if (!isAllowed(request)) {
      refuse(response, 401, 'UNAUTHORIZED', { 'www-authenticate': challengeOf(auth, host) });
      return;
    }
    const [, name = '', kind, reference = ''] = PATH.exec(pathname) ?? [];
    if (kind === 'manifests') {
      giveManifest(request, response, name, reference);
      return;
    }
    if (kind === 'blobs') return await giveBlob(request, response, reference);
    response.writeHead(pathname === '/v2/' ? 200 : 404).end();
  };

  const server: Server = createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const resume = (): void => {
    isPaused = false;
    for (const go of held) go();
    held.clear();
  };
  return {
    host,
    requests,
    resume,
    add: (name, image = {}) => {
      const made = imageParts({ name: `${host}/${name}`, ...image });
      images.set(name, made);
      for (const [digest, content] of made.content) blobs.set(digest, content);
      return `${host}/${name}`;
    },
    pause: () => {
      isPaused = true;
    },
    close: async () => {
      resume();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};
