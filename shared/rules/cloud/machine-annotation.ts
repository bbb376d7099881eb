/** The annotation of a Node `<instance key> <proof>`: the machine that it surely has. Only cloud-node and administrators write it. */
export const MACHINE_ANNOTATION = 'rollcall.dev/machine';
