import { describe, expect, it } from 'vitest';
import { packHeaders } from '../../../../../agent/rules/spdy/headers.ts';

describe('headers as they are sent', () => {
  it('are stored blocks, and an empty one behind, without which readers in Go would give out nothing', () => {
    const block = Buffer.from(packHeaders({}, true)).toString('hex');
    expect(block).toBe(['7801', '000400fbff', '00000000', '000000ffff'].join(''));
    expect(Buffer.from(packHeaders({}, false)).toString('hex')).toBe(block.slice(4));
  });
});
