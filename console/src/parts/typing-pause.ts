/** Milliseconds without a key after which a search is sent; its first rows come within 200. */
export const typingPause = 80
