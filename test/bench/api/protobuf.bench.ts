import { readObject } from '../../../shared/apiserver/body/body.ts';
import { readJson } from '../../../shared/apiserver/body/json.ts';
import type { HttpRequest } from '../../../shared/apiserver/contract/http.ts';
import { nodeStrategy } from '../../../shared/kinds/nodes/nodes.ts';
import { decodeMessage } from '../../../shared/kube/protobuf/decode.ts';
import { openEnvelope } from '../../../shared/kube/protobuf/envelope.ts';
import { kindSchema } from '../../../shared/kube/schema/schema-of.ts';
import { decodeJson } from '../../../shared/kube/schema/strict.ts';
import { encodeBody } from '../../support/objects/protobuf-encoder.ts';
import type { Bench, Figure } from '../figures/figures.ts';
import { spread } from '../figures/statistics.ts';
import { aKubeletNode, nodeName } from '../fleet/fleet.ts';

/** Images that make a node of 10 KB in JSON. */
const IMAGES = 38;
const SAMPLES = 400;
const WARM_UP = 400;
/** Milliseconds: the target of one decoded message. */
const MOST_MS = 0.3;

const SCHEMA = kindSchema('core.v1.Node');

const samplesOf = (work: () => unknown): readonly number[] => {
  for (let call = 0; call < WARM_UP; call += 1) work();
  return Array.from({ length: SAMPLES }, () => {
    const startedAt = performance.now();
    work();
    return performance.now() - startedAt;
  });
};

const requestOf = (type: string, body: Uint8Array): HttpRequest => ({
  method: 'POST',
  path: '/api/v1/nodes',
  query: new URLSearchParams(),
  headers: { 'content-type': type },
  body,
});

const readingOf = (request: HttpRequest) => () => readObject(request, nodeStrategy.kind, SCHEMA);

const unread = (complaint: string): Error => new Error(complaint);

/** What a body of a node's size costs, in protobuf and in JSON. */
export const protobuf: Bench = async () => {
  const node = aKubeletNode(nodeName(1), { images: IMAGES });
  const text = JSON.stringify(node);
  const json = Buffer.from(text);
  const message = encodeBody(node, 'core.v1.Node');
  const parse = spread(samplesOf(() => JSON.parse(text) as unknown));
  const figure = (name: string, work: () => unknown): Figure => {
    const measured = spread(samplesOf(work));
    return {
      name,
      unit: 'ms',
      ...measured,
      ratio: { value: measured.value / parse.value, to: 'JSON.parse' },
    };
  };
  return [
    { name: `JSON.parse of a node of ${(json.length / 1024).toFixed(1)} KB`, unit: 'ms', ...parse },
    {
      ...figure('decode of the same node in protobuf', () =>
        decodeMessage(openEnvelope(message).raw, 'core.v1.Node'),
      ),
      target: { atMost: MOST_MS },
    },
    figure('JSON to canonical form, with a look for duplicates', () =>
      decodeJson(readJson(json, unread), SCHEMA),
    ),
    figure('request body in JSON to object', readingOf(requestOf('application/json', json))),
    figure(
      'request body in protobuf to object',
      readingOf(requestOf('application/vnd.kubernetes.protobuf', message)),
    ),
  ];
};
