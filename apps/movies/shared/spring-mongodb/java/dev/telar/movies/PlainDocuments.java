package dev.telar.movies;

import org.springframework.data.mongodb.core.convert.DefaultMongoTypeMapper;
import org.springframework.data.mongodb.core.convert.MappingMongoConverter;
import org.springframework.stereotype.Component;

/** Documents hold what a movie has and nothing of ours: no field with the name of a Java class. */
@Component
class PlainDocuments {

    PlainDocuments(MappingMongoConverter converter) {
        converter.setTypeMapper(new DefaultMongoTypeMapper(null));
    }
}
