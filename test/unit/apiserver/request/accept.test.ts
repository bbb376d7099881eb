import { describe, expect, it } from 'vitest';
import type { HttpRequest } from '../../../../shared/apiserver/contract/http.ts';
import { negotiate, plainlyAccepted } from '../../../../shared/apiserver/request/accept.ts';
import { StatusError } from '../../../../shared/kube/errors/status-error.ts';

const JSON_TYPE = 'application/json';
const YAML_TYPE = 'application/yaml';
const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const META = 'g=meta.k8s.io';
const TABLE = `${JSON_TYPE};as=Table;v=v1;${META}`;
const THREE = 'application/json, application/yaml, application/vnd.kubernetes.protobuf';
const STREAMS = 'application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch';

const requestOf = (accept: string | undefined): HttpRequest => ({
  method: 'GET',
  path: '/api/v1/nodes',
  query: new URLSearchParams(),
  headers: accept === undefined ? {} : { accept },
  body: new Uint8Array(),
});

const OBJECT = { isList: false, isWatch: false };

const chosen = (accept: string | undefined, target = OBJECT): string => {
  const { contentType, transform } = negotiate(requestOf(accept), target);
  return [contentType, ...(transform ? [transform.as, transform.apiVersion] : [])].join(' ');
};

const refusal = (accept: string, target = OBJECT): StatusError => {
  try {
    negotiate(requestOf(accept), target);
  } catch (error) {
    if (error instanceof StatusError) return error;
  }
  throw new Error(`${accept} was not refused`);
};

describe('the accepted clause', () => {
  it.each([
    ['nothing is asked for', undefined, JSON_TYPE],
    ['nothing is written', '', JSON_TYPE],
    ['anything goes', '*/*', JSON_TYPE],
    ['anything goes, in short', '*/*, *', JSON_TYPE],
    ['JSON', JSON_TYPE, JSON_TYPE],
    ['JSON in some charset', `${JSON_TYPE};charset=utf-8`, JSON_TYPE],
    ['YAML', YAML_TYPE, YAML_TYPE],
    ['the first of two', `${YAML_TYPE},${JSON_TYPE}`, YAML_TYPE],
    ['the better of two', `${YAML_TYPE};q=0.5,${JSON_TYPE};q=0.7`, JSON_TYPE],
    ['a quality that is no number', `${YAML_TYPE};q=x,${JSON_TYPE};q=0.1`, JSON_TYPE],
    ['a quality of zero, which is only the last choice', `${YAML_TYPE};q=0`, YAML_TYPE],
    ['what is named before what is not', `*/*,${YAML_TYPE};q=0.1`, YAML_TYPE],
    ['a better wildcard that comes later', `${YAML_TYPE};q=0.5,*/*`, JSON_TYPE],
    ['unknown types are passed over', 'text/html,application/xml;q=0.9,*/*;q=0.8', JSON_TYPE],
    ['what is no media type is passed over', `json,a/b/c,${YAML_TYPE}`, YAML_TYPE],
    ['a partial wildcard, once the router is content', `application/*,text/html,${YAML_TYPE}`, YAML_TYPE],
    ['protobuf is passed over', `${PROTOBUF},${JSON_TYPE}`, JSON_TYPE],
    ['protobuf is passed over for YAML, too', `${PROTOBUF},${YAML_TYPE}`, YAML_TYPE],
    ['protobuf and nothing else', PROTOBUF, JSON_TYPE],
    ['a stream of another kind', `${YAML_TYPE};stream=foo,${JSON_TYPE}`, JSON_TYPE],
    ['a stream of events', `${JSON_TYPE};stream=watch`, JSON_TYPE],
    ['another version of the server', `${YAML_TYPE};sv=v2,${JSON_TYPE}`, JSON_TYPE],
    ['a Table', TABLE, `${JSON_TYPE} Table meta.k8s.io/v1`],
    ['a Table of old', `${JSON_TYPE};as=Table;v=v1beta1;${META}`, `${JSON_TYPE} Table meta.k8s.io/v1beta1`],
    ['a Table in YAML', `${YAML_TYPE};as=Table;v=v1;${META}`, `${YAML_TYPE} Table meta.k8s.io/v1`],
    ['a Table in any type', `*/*;as=Table;v=v1;${META}`, `${JSON_TYPE} Table meta.k8s.io/v1`],
    ['a Table with spaces', `${JSON_TYPE} ; as = Table ; v=v1; ${META}`, `${JSON_TYPE} Table meta.k8s.io/v1`],
    ['a Table or JSON', `${TABLE},${JSON_TYPE}`, `${JSON_TYPE} Table meta.k8s.io/v1`],
    ['a Table of the future, or JSON', `${JSON_TYPE};as=Table;v=v2;${META},${JSON_TYPE}`, JSON_TYPE],
    ['a Table of another group, or JSON', `${JSON_TYPE};as=Table;v=v1;g=x,${JSON_TYPE}`, JSON_TYPE],
    ['a version of nothing, or JSON', `${JSON_TYPE};v=v1,${YAML_TYPE}`, YAML_TYPE],
    [
      'metadata in protobuf, then in JSON',
      `${PROTOBUF};as=PartialObjectMetadata;v=v1;${META},${JSON_TYPE};as=PartialObjectMetadata;v=v1;${META},${JSON_TYPE}`,
      `${JSON_TYPE} PartialObjectMetadata meta.k8s.io/v1`,
    ],
    [
      'metadata in protobuf and nothing else',
      `${PROTOBUF};as=PartialObjectMetadataList;v=v1;${META}`,
      `${JSON_TYPE} PartialObjectMetadataList meta.k8s.io/v1`,
    ],
  ])('%s', (_what, accept, expected) => {
    expect(chosen(accept)).toBe(expected);
  });
});

describe('a refusal', () => {
  it.each(['text/html', 'application/*', ';;;', 'json', 'APPLICATION/JSON', 'application/xml;q=0.9'])(
    'of %s by the router names the available types',
    (accept) => {
      expect(refusal(accept)).toMatchObject({
        code: 406,
        message: `406: Not Acceptable\n\nAvailable representations: ${THREE}`,
        details: {},
      });
    },
  );

  it('of a list also names the stream types', () => {
    expect(refusal('text/html', { isList: true, isWatch: false }).message).toBe(
      `406: Not Acceptable\n\nAvailable representations: ${THREE}, ${STREAMS}`,
    );
  });

  it.each([
    `${JSON_TYPE};as=Foo`,
    `${JSON_TYPE};as=Foo;v=v1;${META}`,
    `${JSON_TYPE};as=Table`,
    `${JSON_TYPE};as=Table;v=v2;${META}`,
    `${PROTOBUF};as=Table;v=v1;${META}`,
    `${JSON_TYPE};stream=foo`,
  ])('of %s by the handler has no details', (accept) => {
    const error = refusal(accept);
    expect(error).toMatchObject({
      code: 406,
      message: `only the following media types are accepted: ${THREE}`,
    });
    expect(error.details).toBeUndefined();
  });

  it('of a watch in YAML names the stream types', () => {
    expect(refusal(YAML_TYPE, { isList: true, isWatch: true }).message).toBe(
      `only the following media types are accepted: ${STREAMS}`,
    );
  });
});

describe('an error', () => {
  it.each([
    [YAML_TYPE, YAML_TYPE],
    [TABLE, JSON_TYPE],
    [`${YAML_TYPE};as=Table;v=v1;${META}`, JSON_TYPE],
    ['text/html', JSON_TYPE],
    [undefined, JSON_TYPE],
  ])('for a client that accepts %s is written as %s', (accept, type) => {
    const accepted = plainlyAccepted(requestOf(accept));
    expect(accepted.contentType).toBe(type);
    expect(accepted.transform).toBeUndefined();
  });
});
