/** Flags by which a place is opened, not what is there. */
import { constants } from 'node:fs';

/** `O_PATH` of Linux, which Node does not name: neither a pipe waits nor a device begins something. */
const O_PATH = 0x20_0000;

/** Names a file or folder by a descriptor. A link is named itself. */
export const PLACE = O_PATH | constants.O_NOFOLLOW;
