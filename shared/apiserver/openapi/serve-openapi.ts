/** `/openapi/v3`, one document per group version below it, and `/openapi/v2`. Source: kube-openapi `handler3`. */
import { createHash } from 'node:crypto';
import { apiVersionOf } from '../../kinds/contract/strategy.ts';
import type { Answer, HttpRequest } from '../contract/http.ts';
import { ok } from '../contract/http.ts';
import type { Resource } from '../contract/resource.ts';
import { openApiDocument } from './document.ts';
import { jsonDocument, protobufDocument } from './version-2.ts';

/** Version of Kubernetes in the documents. */
const VERSION = 'v1.34.4';

const ROOT = '/openapi/v3';

interface Document {
  readonly text: string;
  readonly hash: string;
}

const documentOf = (resources: readonly Resource[], groupVersion: string): Document => {
  const text = JSON.stringify(openApiDocument(resources, groupVersion, VERSION));
  return { text, hash: createHash('sha256').update(text).digest('hex').toUpperCase() };
};

/** `v1` → `api/v1`, `apps/v1` → `apis/apps/v1`. */
const keyOf = (groupVersion: string): string =>
  groupVersion.includes('/') ? `apis/${groupVersion}` : `api/${groupVersion}`;

const JSON_HEADERS = { 'content-type': 'application/json' };

// An address with a hash names one text for ever; without it clients revalidate.
const cachingOf = (hash: string | null) =>
  hash === null ? {} : { 'cache-control': 'public, immutable, max-age=31536000' };

const documentAnswer = ({ headers, query, path }: HttpRequest, { text, hash }: Document): Answer => {
  const asked = query.get('hash');
  if (asked !== null && asked !== hash)
    return { status: 301, body: '', headers: { location: `${path}?hash=${hash}` } };
  const etag = `"${hash}"`;
  const kept = { ...JSON_HEADERS, etag, vary: 'Accept', ...cachingOf(asked) };
  return headers['if-none-match'] === etag
    ? { status: 304, body: '', headers: kept }
    : { status: 200, body: text, headers: kept };
};

const wantsProtobuf = (accept: string | undefined): boolean => (accept ?? '').includes('protobuf');

/** Serves the OpenAPI documents. */
export interface OpenApi {
  /** The answer at an OpenAPI path; `undefined` for other paths. */
  answer(request: HttpRequest): Answer | undefined;
}

/** Serves the documents of `resources`; each is made on its first request and cached. */
export const createOpenApi = (resources: readonly Resource[]): OpenApi => {
  const groupVersions = [...new Set(resources.map(apiVersionOf))].sort();
  const documents = new Map<string, Document>();

  const find = (key: string): Document | undefined => {
    const groupVersion = groupVersions.find((one) => keyOf(one) === key);
    const known = documents.get(key);
    if (known || groupVersion === undefined) return known;
    const made = documentOf(resources, groupVersion);
    documents.set(key, made);
    return made;
  };

  const index = (): object => ({
    paths: Object.fromEntries(
      groupVersions.map(keyOf).map((key) => {
        const hash = find(key)?.hash ?? '';
        return [key, { serverRelativeURL: `${ROOT}/${key}?hash=${hash}` }];
      }),
    ),
  });

  const version2 = ({ headers }: HttpRequest): Answer =>
    wantsProtobuf(headers['accept'])
      ? {
          status: 200,
          body: protobufDocument(resources, VERSION),
          // Old clients cannot parse the registered media type, because of its `@`.
          headers: { 'content-type': 'application/octet-stream' },
        }
      : ok(jsonDocument(resources, VERSION));

  return {
    answer: (request) => {
      const path = request.path.replace(/\/$/, '');
      if (path === '/openapi/v2') return version2(request);
      if (path === ROOT) return ok(index());
      const document = path.startsWith(`${ROOT}/`) ? find(path.slice(ROOT.length + 1)) : undefined;
      return document && documentAnswer(request, document);
    },
  };
};
