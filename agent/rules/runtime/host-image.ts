/** The image that is made of the machine itself. */
export const HOST_IMAGE = 'host';
