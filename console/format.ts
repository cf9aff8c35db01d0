const counts = new Intl.NumberFormat('en');

export const countText = (count: number): string => counts.format(count);

const units = ['bytes', 'KB', 'MB', 'GB', 'TB'];

/** 1,234 bytes are 1.2 KB. */
export function bytesText(bytes: number): string {
  let size = bytes;
  let unit = 0;
  while (size >= 1000 && unit < units.length - 1) {
    size /= 1000;
    unit += 1;
  }
  return `${unit === 0 || size >= 100 ? Math.round(size) : size.toFixed(1)} ${units[unit]}`;
}
