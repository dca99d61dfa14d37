// What a page's bundler is told to put in the place of a module of Node.
export default {};
