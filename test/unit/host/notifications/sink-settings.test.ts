import { describe, expect, it } from 'vitest';
import { sinkSettings } from '../../../../host/notifications/sink-settings.ts';

describe('the settings of sinks', () => {
  it('are URLs with filters in their fragments, which are not sent', () => {
    const eventSink =
      'https://a.example/x?y=1#types=node-lost,NodeReturned&zones=a,b&selector=pool%3Dgpu&severity=warning&group=off&key-file=k http://b.example';
    expect(sinkSettings({ eventSink, eventKeyFile: 'keys', eventCaFile: 'ca' }).urls).toMatchObject([
      {
        url: 'https://a.example/x?y=1',
        isGrouped: false,
        keyFile: 'k',
        caFile: 'ca',
        filter: { types: ['NodeLost', 'NodeReturned'], zones: ['a', 'b'], severity: 'warning' },
      },
      { url: 'http://b.example/', isGrouped: true, keyFile: 'keys', filter: { severity: 'resolved' } },
    ]);
  });

  it('are a list in a file', () => {
    const list = [
      { url: 'https://a.example', types: ['NodeLost'], keyEnv: 'KEYS' },
      'https://b.example#severity=info',
    ];
    expect(sinkSettings({ eventSink: JSON.stringify(list), eventKeyFile: 'keys' }).urls).toMatchObject([
      { keyEnv: 'KEYS', keyFile: undefined, filter: { types: ['NodeLost'], severity: 'info' } },
      { filter: { severity: 'info' } },
    ]);
  });

  it('have commands, for each event or for groups of problems', () => {
    const on = [
      { types: 'node-lost', command: ['./a', 'b c'] },
      { types: 'problems', command: ['d'] },
    ];
    expect(sinkSettings({ on: JSON.stringify(on) }).commands).toEqual([
      { command: ['./a', 'b c'], filter: { severity: 'info', types: ['NodeLost'] }, isGrouped: false },
      { command: ['d'], filter: { severity: 'resolved' }, isGrouped: true },
    ]);
  });

  it.each([
    ['ftp://x', 'give a URL with http: or https:, without credentials'],
    ['https://u:p@x', 'without credentials'],
    ['nonsense', 'give a URL'],
    ['https://x#types=NodeGone', '"NodeGone" is no type of events'],
    ['https://x#severity=loud', 'the severity "loud" is none of'],
    ['https://x#selector=a%20b', 'cannot be read'],
    ['https://x#colour=red', '"colour" is no field of a sink'],
    ['https://x https://x#severity=info', 'x is given twice'],
    ['[1]', '1 is no sink'],
    ['[{', 'eventSink: SyntaxError'],
  ])('%s is refused', (eventSink, problem) => {
    expect(() => sinkSettings({ eventSink })).toThrow(problem);
  });

  it.each(['node-lost', '[{"types":"node-lost"}]', '[{"command":"./script"}]'])(
    '--on %s needs a command',
    (on) => {
      expect(() => sinkSettings({ on })).toThrow('a command is missing');
    },
  );
});
