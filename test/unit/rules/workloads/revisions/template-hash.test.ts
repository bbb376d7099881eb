import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { defaultPodTemplateSpec } from '../../../../../shared/kube/defaults/pod-template.ts';
import type { PodTemplateSpec } from '../../../../../shared/kube/types/workloads.ts';
import { quantityText } from '../../../../../shared/rules/workloads/revisions/quantity-text.ts';
import { templateHash } from '../../../../../shared/rules/workloads/revisions/template-hash.ts';

interface Hashed {
  readonly name: string;
  readonly hash: string;
  readonly collisions?: number;
  readonly template: PodTemplateSpec;
}

const linesOf = (file: string): readonly Hashed[] =>
  readFileSync(new URL(file, import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((line): Hashed => JSON.parse(line) as Hashed);

/** Hashes of Kubernetes 1.34: 24 recorded from a cluster, the others computed with its Go packages for random templates of all fields. */
const HASHED = linesOf('template-hashes.jsonl');

/** Random templates as a client sends them, with the hash after Kubernetes 1.34 has filled in its defaults. */
const WITHOUT_DEFAULTS = linesOf('templates-without-defaults.jsonl');

describe('templateHash', () => {
  it.each(HASHED)('$name: $hash (W-60)', ({ template, collisions, hash }) => {
    expect(templateHash(template, collisions)).toBe(hash);
  });

  it.each(WITHOUT_DEFAULTS)('is $hash with the defaults of the API (W-60)', ({ template, hash }) => {
    expect(templateHash(defaultPodTemplateSpec(template), undefined)).toBe(hash);
  });

  it('depends on the count of collisions, also if it is 0 (W-60)', () => {
    const hashes = [undefined, 0, 1, 256].map((collisions) => templateHash({}, collisions));
    expect(new Set(hashes).size).toBe(4);
  });

  it('takes empty lists, empty maps and nulls as absent, as a stored template of Kubernetes has them (W-60)', () => {
    const full = {
      metadata: { labels: {}, creationTimestamp: null },
      spec: { containers: [], volumes: null },
    };
    expect(templateHash(full as unknown as PodTemplateSpec, undefined)).toBe(templateHash({}, undefined));
  });
});

const DECIMAL = '{i:(resource.int64Amount){value:(int64)0 scale:(resource.Scale)0} d:(resource.infDecAmount)';
const text = (value: string, scale: number, own: string, format: string): string =>
  `{i:(resource.int64Amount){value:(int64)${value} scale:(resource.Scale)${scale}} d:(resource.infDecAmount){Dec:(*inf.Dec)<nil>} s:(string)${own} Format:(resource.Format)${format}}`;
const long = (neg: boolean, words: string, scale: number, format: string): string =>
  `${DECIMAL}{Dec:(*inf.Dec){unscaled:(big.Int){neg:(bool)${neg} abs:(big.nat)[${words}]} scale:(inf.Scale)${scale}}} s:(string) Format:(resource.Format)${format}}`;

describe('quantityText', () => {
  it.each([
    ['0', text('0', 0, '0', 'DecimalSI')],
    ['100m', text('100', -3, '100m', 'DecimalSI')],
    ['1k', text('1', 3, '1k', 'DecimalSI')],
    ['1e3', text('1', 3, '1e3', 'DecimalExponent')],
    ['129Mi', text('135266304', 0, '129Mi', 'BinarySI')],
    ['128Mi', text('134217728', 0, '', 'BinarySI')],
    ['100Ti', long(false, '8568098291072368640 5960', 9, 'BinarySI')],
    ['1.5Gi', long(false, '1610612736000000000', 9, 'BinarySI')],
    ['16Ei', long(false, '9223372036854775807', 0, 'BinarySI')],
    ['0.00000000005', long(false, '1', 9, 'DecimalSI')],
    ['-99999999999999999999', long(true, '7886392055514347008 5421010862', 9, 'DecimalSI')],
    ['-1', text('-1', 0, '-1', 'DecimalSI')],
  ])('%s has the fields that Go fills (W-60)', (quantity, expected) => {
    expect(quantityText(quantity)).toBe(expected);
  });
});
