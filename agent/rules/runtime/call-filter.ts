/** The filter of system calls as a program for the kernel. Source: Linux `seccomp(2)`, `linux/filter.h`, `linux/seccomp.h`. */
import { type Architecture, NEWEST_CALL, NUMBERS, refusedCalls } from '../containers/system-calls.ts';

/** Code, what follows if it is true and if it is false (steps to skip), operand. */
type Step = readonly [code: number, ifTrue: number, ifFalse: number, operand: number];

/** Offsets in `struct seccomp_data`; both architectures have the low half of an argument first. */
const NUMBER = 0;
const ARCHITECTURE = 4;
const FIRST_ARGUMENT = 16;

const load = (offset: number): Step => [0x20, 0, 0, offset];
/** The next `steps` are skipped unless the value is `operand`. */
const unlessEqualSkip = (operand: number, steps: number): Step => [0x15, 0, steps, operand];
const ifEqualSkip = (operand: number, steps: number): Step => [0x15, steps, 0, operand];
const unlessGreaterSkip = (operand: number, steps: number): Step => [0x25, 0, steps, operand];
const unlessAnySkip = (bits: number, steps: number): Step => [0x45, 0, steps, bits];
const answer = (value: number): Step => [0x06, 0, 0, value];

const ALLOWED = answer(0x7fff0000);
const failing = (errno: number): Step => answer(0x00050000 | errno);
const REFUSED = failing(1);
/** C libraries go on without a call that the kernel does not have. */
const UNKNOWN = failing(38);

/** All flags of `clone` that make namespaces. */
const NAMESPACES = 0x7e020000;
/** What `personality` may set: what every program has, and what asks only. */
const PERSONALITIES = [0, 8, 0x20000, 0x20008, 0xffffffff];
/** Sockets to the host of a virtual machine. */
const AF_VSOCK = 40;

const ADMIN = 'sys_admin';

/** Steps for one call; they end with its answer. */
const ofCall = (number: number, steps: readonly Step[]): readonly Step[] => [
  unlessEqualSkip(number, steps.length),
  ...steps,
];

const cloneSteps = (architecture: Architecture): readonly Step[] => {
  const { clone, clone3 } = NUMBERS[architecture];
  return [
    // Its flags are in memory, where no filter reads.
    ...ofCall(clone3, [UNKNOWN]),
    ...ofCall(clone, [load(FIRST_ARGUMENT), unlessAnySkip(NAMESPACES, 1), REFUSED, ALLOWED]),
  ];
};

const argumentSteps = (architecture: Architecture): readonly Step[] => {
  const { personality, socket } = NUMBERS[architecture];
  const kinds = PERSONALITIES.map((kind, index) => ifEqualSkip(kind, PERSONALITIES.length - index));
  return [
    ...ofCall(personality, [load(FIRST_ARGUMENT), ...kinds, REFUSED, ALLOWED]),
    ...ofCall(socket, [load(FIRST_ARGUMENT), unlessEqualSkip(AF_VSOCK, 1), REFUSED, ALLOWED]),
  ];
};

/** Programs of another architecture, such as those of 32 bits, find no system call. */
export const filterSteps = (
  architecture: Architecture,
  capabilities: ReadonlySet<string>,
): readonly Step[] => [
  load(ARCHITECTURE),
  ifEqualSkip(NUMBERS[architecture].audit, 1),
  UNKNOWN,
  load(NUMBER),
  unlessGreaterSkip(NEWEST_CALL, 1),
  UNKNOWN,
  ...refusedCalls(architecture, capabilities).flatMap((number) => ofCall(number, [REFUSED])),
  ...(capabilities.has(ADMIN) ? [] : cloneSteps(architecture)),
  ...argumentSteps(architecture),
  ALLOWED,
];

/** As the kernel reads it: an array of `struct sock_filter`, in hexadecimal digits. */
export const filterProgram = (architecture: Architecture, capabilities: ReadonlySet<string>): string => {
  const steps = filterSteps(architecture, capabilities);
  const bytes = new DataView(new ArrayBuffer(steps.length * 8));
  for (const [index, [code, ifTrue, ifFalse, operand]] of steps.entries()) {
    bytes.setUint16(index * 8, code, true);
    bytes.setUint8(index * 8 + 2, ifTrue);
    bytes.setUint8(index * 8 + 3, ifFalse);
    bytes.setUint32(index * 8 + 4, operand, true);
  }
  return Buffer.from(bytes.buffer).toString('hex');
};
