import { describe, expect, it } from 'vitest';
import { ContainerStatus } from '../../../../../../agent/rules/cri/messages/containers.ts';
import { SIGNALS } from '../../../../../../agent/rules/cri/messages/signals.ts';
import { decode, WireFault } from '../../../../../../agent/rules/cri/wire/decode.ts';
import {
  bool,
  bytes,
  double,
  integer,
  integers,
  message,
  messages,
  NumberValue,
  oneOf,
  text,
  textMap,
  texts,
} from '../../../../../../agent/rules/cri/wire/describe.ts';
import { encode } from '../../../../../../agent/rules/cri/wire/encode.ts';

const ALL = {
  name: text(1),
  count: integer(2),
  isOn: bool(3),
  level: oneOf(4, ['LOW', 'MIDDLE', 'HIGH']),
  raw: bytes(5),
  share: double(6),
  numbers: integers(7),
  names: texts(8),
  map: textMap(9),
  inner: message(16, { value: NumberValue.value, name: text(2) }),
  inners: messages(17, NumberValue),
};

const hex = (value: Uint8Array): string => Buffer.from(value).toString('hex');

describe('the wire format', () => {
  // Source of the first three: Protocol Buffers, "Encoding".
  it.each([
    ['a number of two bytes', { count: 150 }, '109601'],
    ['a text', { name: 'testing' }, '0a0774657374696e67'],
    ['packed numbers', { numbers: [3, 270, 86942] }, '3a06038e029ea705'],
    ['a negative number, in ten bytes', { count: -2 }, '10feffffffffffffffff01'],
    ['nothing that is the default', { name: '', count: 0, isOn: false, names: [] }, ''],
    ['an empty text in a list', { names: ['', 'a'] }, '4200420161'],
    ['an empty message', { inner: {} }, '820100'],
    ['a zero that is there', { inner: { value: 0 } }, '820100'],
    ['a map', { map: { k: 'v' } }, '4a060a016b120176'],
  ] as const)('writes %s', (_, draft, expected) => {
    expect(hex(encode(ALL, draft))).toBe(expected);
  });

  const FULL = {
    name: 'naïve ☸',
    count: -998,
    isOn: true,
    level: 'HIGH' as const,
    raw: Buffer.from([0, 255]),
    share: 0.5,
    numbers: [0, 1, 1000, -1],
    names: ['a', ''],
    map: { a: 'b', c: '' },
    inner: { value: 4_503_599_627_370_497, name: 'x' },
    inners: [{ value: 1 }, { value: 0 }],
  };

  it('reads what it writes', () => {
    expect(decode(ALL, encode(ALL, FULL))).toEqual(FULL);
  });

  it('gives the defaults of what is not there', () => {
    expect(decode(ALL, new Uint8Array())).toEqual({
      name: '',
      count: 0,
      isOn: false,
      level: 'LOW',
      raw: Buffer.alloc(0),
      share: 0,
      numbers: [],
      names: [],
      map: {},
      inner: undefined,
      inners: [],
    });
  });

  it('skips fields that it does not know, of each wire type, and those of another type', () => {
    const extra = Buffer.concat([
      Buffer.from('f80601', 'hex'),
      Buffer.from('f9060102030405060708', 'hex'),
      Buffer.from('fa0602ffff', 'hex'),
      Buffer.from('fd0601020304', 'hex'),
      // Field 1 as a number.
      Buffer.from('0805', 'hex'),
    ]);
    expect(decode(ALL, Buffer.concat([extra, encode(ALL, { name: 'a' })])).name).toBe('a');
  });

  it('reads numbers one by one where they are not packed, and a name that it does not know as none', () => {
    const read = decode(ALL, Buffer.from('380138022009', 'hex'));
    expect(read.numbers).toEqual([1, 2]);
    expect(read.level).toBeUndefined();
  });

  it('keeps a key that JavaScript uses itself', () => {
    const { map } = decode(ALL, encode(ALL, { map: JSON.parse('{"__proto__":"x"}') }));
    expect(Object.entries(map)).toEqual([['__proto__', 'x']]);
  });

  it('refuses each part of a message that is cut within a field', () => {
    const whole = encode(ALL, FULL);
    for (let length = 1; length < whole.length; length += 1) {
      const read = (): unknown => decode(ALL, whole.subarray(0, length));
      try {
        read();
      } catch (error) {
        expect(error).toBeInstanceOf(WireFault);
      }
    }
    expect(() => decode(ALL, Buffer.from('0a05616263', 'hex'))).toThrow('the message ends within a field');
    expect(() => decode(ALL, Buffer.from('10ffffffffffffffffffff01', 'hex'))).toThrow('more than 64 bits');
    expect(() => decode(ALL, Buffer.from('0b', 'hex'))).toThrow('unknown wire type 3');
    expect(() => decode(ALL, Buffer.from('0affffffffffffffffff01', 'hex'))).toThrow(WireFault);
  });

  it('reads an answer of 16 MB', () => {
    const status = { id: 'x'.repeat(64), message: 'm'.repeat(1000), labels: { a: 'b' } };
    const List = { statuses: messages(1, ContainerStatus) };
    const many = encode(List, { statuses: Array.from({ length: 14_900 }, () => status) });
    expect(many.length).toBeGreaterThan(16_000_000);
    expect(decode(List, many).statuses).toHaveLength(14_900);
  });
});

describe('signals', () => {
  it.each([
    ['SIGABRT', 1],
    ['SIGKILL', 13],
    ['SIGTERM', 23],
    ['SIGXFSZ', 34],
    ['SIGRTMIN', 35],
    ['SIGRTMINPLUS15', 50],
    ['SIGRTMAXMINUS14', 51],
    ['SIGRTMAX', 65],
  ])('%s is %i', (name, number) => {
    expect(SIGNALS.indexOf(name)).toBe(number);
  });
});
