/** The built console: `npm run build:console` writes files.js beside this file. */

export interface BuiltFile {
  readonly type: string;
  /** The gzipped content in base64. */
  readonly gzip: string;
}

/** `{root}` in it stands for the relative path from the requested page to the console's root. */
export declare const page: string;
/** By file name below `_assets/`, which contains a hash of the content. */
export declare const assets: Readonly<Record<string, BuiltFile>>;
