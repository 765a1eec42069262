/** An error whose sentence ends with what to do. */
export class Told extends Error {}
