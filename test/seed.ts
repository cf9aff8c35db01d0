/** Of all that is random in a test: VITRINE_SEED repeats a run. Whoever uses it prints it. */
export const seed = Number(process.env.VITRINE_SEED ?? Math.floor(Math.random() * 2 ** 31));
