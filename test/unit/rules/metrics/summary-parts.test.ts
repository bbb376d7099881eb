import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { surveyJson } from '../../../../shared/kube/json/json-members.ts';
import { summaryParts } from '../../../../shared/rules/metrics/summary-parts.ts';

const cut = (text: string) => {
  const { rest, pods } = summaryParts(text);
  return { rest, pods: pods.map(({ from, to }) => text.slice(from, to)) };
};

describe('J-197: a Summary is cut into its pods and the rest', () => {
  it.each([
    ['no pods', '{"node":{}}', '{"node":{}}', []],
    ['an empty list', '{"pods":[],"node":{}}', '{"pods":[],"node":{}}', []],
    [
      'pods',
      '{"a":1,"pods":[{"x":[1]} , {"y":{}}],"node":{}}',
      '{"a":1,"pods":[],"node":{}}',
      ['{"x":[1]}', '{"y":{}}'],
    ],
    [
      'texts that look like it',
      '{"a":"pods","b":[{}],"\\"pods":[{}]}',
      '{"a":"pods","b":[{}],"\\"pods":[{}]}',
      [],
    ],
    ['pods of something else', '{"node":{"pods":[{}]}}', '{"node":{"pods":[{}]}}', []],
    ['brackets in texts', '{"pods":[{"a":"]}[{"}]}', '{"pods":[]}', ['{"a":"]}[{"}']],
    ['values that are no pods', '{"pods":[1,"x",[2],null]}', '{"pods":[]}', ['[2]']],
    ['a second list', '{"pods":[{}],"pods":[{"b":1}]}', '{"pods":[],"pods":[{"b":1}]}', ['{}']],
    ['a list that does not end', '{"pods":[{},{', '{"pods":[{},{', []],
    ['another value', '[{"pods":[{}]}]', '[{"pods":[{}]}]', []],
  ])('%s', (_, text, rest, pods) => {
    expect(cut(text)).toEqual({ rest, pods });
  });

  it('whatever is in it, nothing is lost, and no value is left uncounted', () => {
    const pod = fc.object({ maxDepth: 2 });
    fc.assert(
      fc.property(fc.array(pod), fc.jsonValue(), fc.boolean(), (pods, node, isIndented) => {
        const text = JSON.stringify({ node, pods }, undefined, isIndented ? 1 : undefined);
        const found = summaryParts(text);
        expect(JSON.parse(found.rest)).toEqual({ ...JSON.parse(text), pods: [] });
        const parts = found.pods.map(({ from, to }) => text.slice(from, to));
        expect(parts.map((part) => JSON.parse(part))).toEqual(JSON.parse(text).pods);
        for (const [index, { values }] of found.pods.entries())
          expect(values).toBe(surveyJson(parts[index] ?? '').values - 1);
      }),
    );
  });
});
