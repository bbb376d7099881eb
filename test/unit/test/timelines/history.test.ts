import { describe, expect, it } from 'vitest';
import { createHistory, type Seen } from '../../../timelines/history.ts';

const T0 = Date.parse('2026-03-01T12:00:00Z');
const NOTHING = { fields: [], sources: ['node-controller'] };

const pod = (more: object = {}, metadata: object = {}): Seen => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'default', uid: '00000000-0000-4000-8000-000000000001', ...metadata },
  ...more,
});

const told = (message: string, more: object = {}): Seen => ({
  metadata: { name: 'e', uid: message },
  involvedObject: { kind: 'Pod', name: 'p' },
  type: 'Normal',
  reason: 'Made',
  message,
  source: { component: 'c' },
  ...more,
});

describe('the history of a timeline', () => {
  it('joins changes that follow each other within 0.6 s, with the difference of all of them', () => {
    const history = createHistory(NOTHING);
    history.present('Pod', pod({ status: { phase: 'Pending' } }), T0);
    history.present('Pod', pod({ status: { phase: 'Running' } }), T0 + 1_000);
    history.present('Pod', pod({ status: { phase: 'Running', ip: '1' } }), T0 + 1_600);
    history.present('Pod', pod({ status: { phase: 'Failed' } }), T0 + 2_300);
    history.gone('Pod', pod(), T0 + 2_400);
    expect(history.happenings(T0, 0.6)).toEqual({
      'Pod/p: added {"object":{"metadata":{"name":"p","namespace":"default"},"status":{"phase":"Pending"}}}':
        [0],
      'Pod/p: changed {"set":{"status.ip":"1","status.phase":"Running"}}': [1],
      'Pod/p: changed {"set":{"status.phase":"Failed"},"unset":["status.ip"]}': [2.3],
      'Pod/p: deleted': [2.4],
    });
  });

  it('gives changes that cancel each other, and beats, no line', () => {
    const history = createHistory(NOTHING);
    const beat = (at: string) =>
      pod({ status: { conditions: [{ type: 'Ready', status: 'True', lastHeartbeatTime: at }] } });
    history.present('Pod', beat('2026-03-01T12:00:00Z'), T0);
    history.present('Pod', pod({ status: {} }), T0 + 1_000);
    history.present('Pod', beat('2026-03-01T12:00:01Z'), T0 + 1_100);
    history.present('Pod', beat('2026-03-01T12:00:09Z'), T0 + 9_000);
    expect(Object.values(history.happenings(T0, 0.6))).toEqual([[0]]);
  });

  it('counts alike what happens to two objects with generated names', () => {
    const history = createHistory(NOTHING);
    for (const [index, name] of ['web-bcdfg', 'web-45678'].entries()) {
      const metadata = { name, generateName: 'web-', uid: `00000000-0000-4000-8000-00000000000${index}` };
      history.present('Pod', pod({}, metadata), T0 + index * 100);
    }
    history.event(told('Created pod: web-zzzzz'), T0);
    expect(history.happenings(T0, 0.6)).toEqual({
      'Pod/web-<>: added {"object":{"metadata":{"generateName":"web-","name":"web-<>","namespace":"default"}}}':
        [0, 0.1],
      'event/Pod/p: Normal Made {"message":"Created pod: web-<>","source":"c"}': [0],
    });
    expect(history.finals(T0)).toEqual({});
  });

  it('names the object of a uid, and calls the instants of the run alike', () => {
    const history = createHistory(NOTHING);
    const uid = '00000000-0000-4000-8000-000000000001';
    history.present(
      'Pod',
      pod({ spec: { of: uid, at: '2026-03-01T11:59:00Z', old: '2020-01-01T00:00:00Z' } }),
      T0,
    );
    expect(history.finals(T0)).toEqual({
      'Pod/p': {
        metadata: { name: 'p', namespace: 'default' },
        spec: { at: '<time>', of: '<uid of Pod/p>', old: '2020-01-01T00:00:00Z' },
      },
    });
  });

  it('leaves out repeated Events, those of other components, and what was before the beginning', () => {
    const history = createHistory(NOTHING);
    history.event(told('before'), T0 - 1);
    history.event(told('twice'), T0);
    history.event(told('twice', { metadata: { name: 'again' } }), T0 + 10);
    history.event(told('silenced', { source: { component: 'node-controller' } }), T0);
    expect(history.happenings(T0, 0.6)).toEqual({
      'event/Pod/p: Normal Made {"message":"twice","source":"c"}': [0],
    });
  });

  it('leaves out ignored fields, and orders taints', () => {
    const node = (keys: readonly string[]): Seen => ({
      metadata: { name: 'n' },
      spec: { podCIDR: '10.0.0.0/24', taints: keys.map((key) => ({ key })) },
    });
    const ignoring = createHistory({ ...NOTHING, fields: ['taints'] });
    ignoring.present('Node', node(['a']), T0);
    expect(ignoring.finals(T0)).toEqual({
      'Node/n': { metadata: { name: 'n' }, spec: { podCIDR: '10.0.0.0/24' } },
    });
    const whole = createHistory(NOTHING);
    whole.present('Node', node(['b', 'a']), T0);
    whole.present('Node', node(['a', 'b']), T0 + 5_000);
    expect(Object.values(whole.happenings(T0, 0.6))).toEqual([[0]]);
  });
});
