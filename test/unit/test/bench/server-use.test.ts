import { describe, expect, it } from 'vitest';
import { writtenIn } from '../../../bench/side/server-use.ts';

const IO = `rchar: 3265
wchar: 1024
syscr: 12
syscw: 3
read_bytes: 4096
write_bytes: 323932160
cancelled_write_bytes: 8192
`;

describe('what a process wrote, by its /proc/<pid>/io', () => {
  it('is what went towards a disk, not what was written to pipes or deleted later', () => {
    expect(writtenIn(IO)).toBe(323_932_160);
  });

  it('is not a number where Linux does not tell', () => {
    expect(writtenIn('rchar: 1\nwchar: 2\n')).toBeNaN();
  });
});
