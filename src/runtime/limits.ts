/** Room for an address a good deal longer than allowed, so that the refusal is ours and has our shape. */
export const largestHead = 64 * 1024;
